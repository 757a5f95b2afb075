import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { BSON, type Document } from 'mongodb';
import { batches } from '../../../shared/platform/batches.js';
import { CliError } from '../cliError.js';

const SHORTEST = 5;
/** Slightly more bytes than a document of MongoDB may have, which is 16 MiB. */
const LONGEST = 17 << 20;

/** The most documents and bytes of a batch. A message may have 4 MiB, so their number alone bounds no memory. */
const BATCH = { items: 1_000, weight: 8_000_000, weigh: ({ bytes }: Sized) => bytes };

/** A document, and how many bytes of BSON it has. */
interface Sized {
  document: Document;
  bytes: number;
}

/**
 * Reads the documents of a backup file in batches, with their exact BSON types. Throws CliError where the file is no
 * BSON.
 */
export async function* readDocuments(path: string): AsyncGenerator<Document[]> {
  for await (const batch of batches(readSized(path), BATCH))
    yield batch.map(({ document }) => document);
}

/** Counts the documents of a backup file. Throws where `readDocuments` could not read it to its end. */
export async function countDocuments(path: string): Promise<number> {
  let count = 0;
  for await (const documents of cutDocuments(path)) count += documents.length;
  return count;
}

async function* readSized(path: string): AsyncGenerator<Sized> {
  for await (const documents of cutDocuments(path)) {
    for (const bytes of documents) {
      // Values are not converted. A converted number could be written back as another type of number.
      const document = BSON.deserialize(bytes, { promoteValues: false });
      yield { document, bytes: bytes.length };
    }
  }
}

/** Gives the bytes of each document, in lists of those that end in the same piece of the file. */
async function* cutDocuments(path: string): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  const source = createReadStream(path);
  const bytes = source.pipe(createGunzip());
  source.on('error', (error) => bytes.destroy(error));
  for await (const piece of bytes) {
    rest = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer]);
    const documents: Buffer[] = [];
    let at = 0;
    for (let length = lengthAt(rest, at); at + length <= rest.length; length = lengthAt(rest, at)) {
      documents.push(rest.subarray(at, at + length));
      at += length;
    }
    yield documents;
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new CliError(`${path} ends within a document`);
}

/** The length of the document that begins at a byte. Infinity while too little of it has been read to know. */
function lengthAt(bytes: Buffer, at: number): number {
  if (bytes.length - at < 4) return Infinity;
  const length = bytes.readInt32LE(at);
  if (length < SHORTEST || length > LONGEST) throw new CliError('A file of the backup is no BSON');
  return length;
}
