import Joi from 'joi';
import type { Document, Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import { UPLOAD_PIECES } from '../../../shared/store/pieces.js';
import { FAILED } from '../../../shared/store/quarantine.js';
import type { StateRecord } from '../../../shared/store/state.js';
import { NEVER } from '../../../shared/store/work.js';

/** The file that describes a backup. It is written last, so a folder without it holds no complete backup. */
export const MANIFEST = 'manifest.json';

/**
 * The number of this format. Backups with any other number are refused. A new number needs a new version of the
 * package, because the refusal names the version that wrote the backup.
 */
export const BACKUP_FORMAT = 7;

/**
 * The collections that cannot be built again from others, in the order in which they are restored. `optOuts` comes
 * before `state`, by whose version running processes notice that somebody was left out. `erasures` comes after `state`,
 * which holds the key of their hashes, because somebody may ask for an erasure meanwhile. Views, search documents and
 * all marks but quarantined ones are made anew. Logins end, and cursors lose their validity.
 */
export const KEPT = [
  'optOuts',
  'state',
  'erasures',
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
 * Filters for collections that a backup holds only in part. Of `state`, it holds the archive's id, the key of the
 * erasures' hashes, the numbers that only rise, and the totals of the mirror. Of `sync`, it holds the records of
 * mirrored files. Of `work`, it holds quarantined marks. Of `pieces`, it holds those of uploads. Those of bodies are
 * left out, because views are built anew.
 */
export const KEPT_PART: Partial<Record<KeptName, Filter<Document>>> = {
  state: KEPT_STATE as Filter<Document>,
  sync: { kind: 'file' },
  work: { ...FAILED, due: NEVER } as Filter<Document>,
  pieces: UPLOAD_PIECES as Filter<Document>,
};

/** The file of one collection: BSON documents one after the other, gzip-compressed. */
export interface BackupFile {
  documents: number;
  /** The size of the file (bytes). */
  bytes: number;
  /** The SHA-256 of the file, hexadecimal. */
  sha256: string;
}

/** What a backup holds. */
export interface Manifest {
  format: number;
  /** The version of the package that wrote it. Absent in backups from before this was recorded. */
  version?: string;
  /** An ISO 8601 time. */
  createdAt: string;
  /** The name of the database. */
  namespace: string;
  /** Whether all collections were read as they were at one moment. */
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

/** What tells which version wrote a backup of any format. */
export type Origin = Pick<Manifest, 'format' | 'version'> & Partial<Pick<Manifest, 'createdAt'>>;

const originFields = {
  format: Joi.number().required(),
  version: Joi.string(),
  createdAt: Joi.string().isoDate(),
};

/** Checks an Origin. */
export const originSchema = Joi.object<Origin, true>(originFields).unknown();

/** Checks a Manifest of this format. A later version may have added fields that a restore can do without. */
export const manifestSchema = Joi.object<Manifest, true>({
  ...originFields,
  createdAt: Joi.string().isoDate().required(),
  namespace: Joi.string().required(),
  snapshot: Joi.boolean().required(),
  collections: Joi.object(Object.fromEntries(KEPT.map((name) => [name, fileSchema.required()])))
    .required()
    .messages({ 'object.unknown': '{{#label}} is not known to this version' }),
}).unknown();

/** The name of a collection's file. */
export function backupFileName(name: KeptName): string {
  return `${name}.bson.gz`;
}
