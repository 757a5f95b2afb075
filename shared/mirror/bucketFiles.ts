import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { environment } from '../platform/env.js';
import { makeFolder } from '../platform/makeFolder.js';
import { contentRange, lengthOf } from './bytePart.js';
import { OWNER_KEY, READER_WAITS_MS, type MirrorFiles } from './mirrorFiles.js';

/** An S3-compatible bucket, and the keys of an account that may write to it. */
export interface Bucket {
  name: string;
  /** Its address; undefined for AWS. */
  endpoint: string | undefined;
  region: string;
  accessKey: string;
  secretKey: string;
}

const CONNECT_MS = 2_000;
/** A request is given up when no byte moves for so long (ms). While bytes move, a large file may take any time. */
const IDLE_MS = 30_000;
/**
 * No limit on connections. Each reader of a copy holds one until the file is read. The client's default is 50, so 50
 * slow readers would lock out all others.
 */
const AGENT = { maxSockets: Infinity };

/**
 * A bucket did not do what was asked. This class keeps a bucket apart from a store: the client throws some connection
 * errors unchanged, and these look as if a store were away.
 */
export class BucketError extends Error {
  override readonly name = 'BucketError';

  constructor(cause: unknown) {
    super(`The bucket: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Without it, the client writes lines of its own to standard error. Its callers log its errors. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

function fail(error: unknown): never {
  throw new BucketError(error);
}

/**
 * Throws where somebody else can change what is in a folder. Any user of the machine can make a folder or a link in the
 * temporary folder. This process would then download files for that user to read, or remove the files of a folder that
 * the user chose.
 */
async function requireOwn(folder: string): Promise<void> {
  const { getuid } = process;
  if (!getuid) return;
  const found = await lstat(folder);
  const isOwn = found.isDirectory() && found.uid === getuid() && (found.mode & 0o022) === 0;
  if (!isOwn) throw new Error(`${folder} is not a folder that only this user can write to`);
}

/** Files in a bucket. Their keys stand below the archive's name. A request fails after `idleMs` without a byte. */
export async function createBucketFiles(
  bucket: Bucket,
  namespace: string,
  idleMs = IDLE_MS,
): Promise<MirrorFiles> {
  // Under Node 20, the client would write plain lines about its later versions into the log, which is JSON.
  environment()['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  // Loading it takes 0.3 s, and most archives have no bucket.
  const s3 = await import('@aws-sdk/client-s3');
  const { name: Bucket, endpoint, region, accessKey, secretKey } = bucket;
  const client = new s3.S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    maxAttempts: 3,
    logger: SILENT,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: idleMs,
      httpAgent: AGENT,
      httpsAgent: AGENT,
    },
    // Some S3-compatible servers do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  client.middlewareStack.add((next) => (args) => next(args).catch(fail), { step: 'initialize' });
  const prefix = `${namespace}/`;
  const at = (key: string) => ({ Bucket, Key: prefix + key });
  const absent = (error: unknown): null => {
    const { cause } = error as BucketError;
    const isAbsent =
      cause instanceof s3.S3ServiceException &&
      cause.$metadata.httpStatusCode === 404 &&
      // Where the bucket itself is missing, nothing is known of the file.
      cause.name !== 'NoSuchBucket';
    if (isAbsent) return null;
    throw error;
  };
  // All users share the temporary folder, but a folder that one user has made cannot be written to by another.
  const own = join(tmpdir(), `forum-archive-mirror-${process.getuid?.() ?? 'all'}`);
  const incoming = join(own, namespace);
  return {
    incoming,
    async makeIncoming() {
      await makeFolder(own, { mode: 0o700 });
      await requireOwn(own);
      await makeFolder(incoming, { mode: 0o700 });
    },
    ownerPlace: `s3://${Bucket}/${prefix}${OWNER_KEY}`,
    async put(key, path, { bytes, type }) {
      const Body = createReadStream(path);
      const object = { ...at(key), Body, ContentLength: bytes, ContentType: type };
      try {
        await client.send(new s3.PutObjectCommand(object));
      } finally {
        // Where the bucket refuses a file before it has read all of it, the client leaves the file open.
        Body.destroy();
      }
    },
    async open(key, bytes, part) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), READER_WAITS_MS);
      const object = { ...at(key), ...(part && { Range: `bytes=${part.from}-${part.to}` }) };
      const asking = client.send(new s3.GetObjectCommand(object), { abortSignal: limit.signal });
      const found = await asking.catch(absent).finally(() => clearTimeout(timer));
      const body = found?.Body as Readable | undefined;
      const isSame = found?.ContentRange === (part && contentRange(part, bytes));
      if (isSame && found?.ContentLength === (part ? lengthOf(part) : bytes)) return body ?? null;
      body?.destroy();
      return null;
    },
    async has(key, bytes) {
      const found = await client.send(new s3.HeadObjectCommand(at(key))).catch(absent);
      return found?.ContentLength === bytes;
    },
    async remove(keys) {
      for (const key of keys) await client.send(new s3.DeleteObjectCommand(at(key)));
    },
    async *list() {
      const pages = s3.paginateListObjectsV2({ client }, { Bucket, Prefix: prefix });
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', LastModified = new Date(0) } of Contents) {
          const key = Key.slice(prefix.length);
          if (key !== OWNER_KEY) yield { key, putAt: LastModified };
        }
      }
    },
    async owner() {
      const found = await client.send(new s3.GetObjectCommand(at(OWNER_KEY))).catch(absent);
      const id = await found?.Body?.transformToString().catch(fail);
      return id === undefined ? null : id.trim();
    },
    async setOwner(archiveId) {
      const object = { ...at(OWNER_KEY), Body: archiveId, ContentType: 'text/plain' };
      await client.send(new s3.PutObjectCommand(object));
    },
  };
}
