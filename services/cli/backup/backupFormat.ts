import Joi from 'joi';
import type { Document, Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { UPLOAD_PIECES } from '../../../shared/store/pieces.js';
import { FAILED } from '../../../shared/store/quarantine.js';
import type { StateRecord } from '../../../shared/store/state.js';
import { NEVER } from '../../../shared/store/work.js';

/** The file that says what a backup holds. It is written last, so a folder without it holds no complete backup. */
export const MANIFEST = 'manifest.json';

/** The number of this format. Backups of any other number are refused. */
export const BACKUP_FORMAT = 7;

/**
 * The collections that cannot be built again from anything else, in the order in which they are restored. An indexer
 * may run meanwhile, so the order matters. Erasures and opt-outs come before the messages, so that nobody erased or
 * left out comes back. A file comes before its upload, which would otherwise be removed as an orphan. What is
 * quarantined comes after what it is about, and deletions come last. Views, search and all other marks are built anew.
 * Logins and cursors end.
 */
export const KEPT = [
  'erasures',
  'optOuts',
  'state',
  'servers',
  'channels',
  'threads',
  'messages',
  'sync',
  'audit',
  'apiKeys',
  'imports',
  'importFiles',
  'work',
  'pieces',
  'deletions',
] as const satisfies readonly (keyof Collections)[];

export type KeptName = (typeof KEPT)[number];

const KEPT_STATE: Filter<StateRecord> = {
  _id: { $in: ['archive', 'erasures', 'optOuts', 'version', 'mirror'] },
};

/**
 * Filters for collections of which a backup holds a part. Of `state` it holds the archive's id, the key of the erasures'
 * hashes, the numbers that only rise, and the totals of the mirror. Of `sync` it holds the records of mirrored files. Of
 * `work` it holds quarantined marks. Of `pieces` it holds those of uploads; those of bodies are left out, since views are
 * built anew.
 */
export const KEPT_PART: Partial<Record<KeptName, Filter<Document>>> = {
  state: KEPT_STATE as Filter<Document>,
  sync: { kind: 'file' },
  work: { ...FAILED, due: NEVER } as Filter<Document>,
  pieces: UPLOAD_PIECES as Filter<Document>,
};

/** One collection's file: BSON documents one after the other, gzip-compressed. */
export interface BackupFile {
  documents: number;
  /** Bytes of the file. */
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** What a backup holds. */
export interface Manifest {
  format: number;
  /** ISO 8601. */
  createdAt: string;
  /** The name of the database. */
  namespace: string;
  /** Whether everything was read as it was at one moment. */
  snapshot: boolean;
  collections: Record<KeptName, BackupFile>;
}

const fileSchema = Joi.object<BackupFile, true>({
  documents: Joi.number().integer().min(0).required(),
  bytes: Joi.number().integer().min(0).required(),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .required(),
});

/** Checks a Manifest. */
export const manifestSchema = Joi.object<Manifest, true>({
  format: Joi.number()
    .valid(BACKUP_FORMAT)
    .required()
    .messages({
      'any.only': `its format is {{#value}}, and this version reads format ${BACKUP_FORMAT}: restore it with the version that wrote it`,
    }),
  createdAt: Joi.string().isoDate().required(),
  namespace: Joi.string().required(),
  snapshot: Joi.boolean().required(),
  collections: Joi.object(Object.fromEntries(KEPT.map((name) => [name, fileSchema.required()])))
    .required()
    .messages({ 'object.unknown': '{{#label}} is not known to this version' }),
});

/** The name of a collection's file. */
export function backupFileName(name: KeptName): string {
  return `${name}.bson.gz`;
}
