import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { cacheFolder } from '../../services/local/cacheFolder.js';
import { createChildren } from '../../services/local/children.js';
import { freePort } from '../../services/local/ports.js';
import { waitUntilReady } from '../../services/local/waitUntilReady.js';
import { buildGoProgram } from './buildGoProgram.js';

/** An S3 server on top of a folder: https://github.com/versity/versitygw. */
const VERSITYGW = {
  module: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
  folder: 'versitygw-1.8.0',
  file: 'versitygw',
};
const NAME = 'archive-mirror';
const KEYS = { accessKeyId: 'mirrorkey', secretAccessKey: 'planted-mirror-secret' };

/** A bucket on an S3 server of its own. */
export interface BucketServer {
  endpoint: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  close(): Promise<void>;
}

/** Starts an S3 server with an empty bucket. Go builds the server where that has not been done. */
export async function startBucketServer(): Promise<BucketServer> {
  const folder = await mkdtemp(join(tmpdir(), 'forum-archive-bucket-'));
  const children = createChildren();
  const close = async (): Promise<void> => {
    await children.stopAll();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await start(folder, children)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  folder: string,
  children: ReturnType<typeof createChildren>,
): Promise<Omit<BucketServer, 'close'>> {
  const { env } = process;
  const logs = join(folder, 'logs');
  const report = { line: () => undefined, progress: () => undefined };
  const cache = await cacheFolder(env);
  const command = await buildGoProgram(VERSITYGW, { env, cache, logs, children, report });
  const [facts, data] = [join(folder, 'facts'), join(folder, 'data')];
  for (const needed of [facts, data]) await mkdir(needed);
  const address = `127.0.0.1:${await freePort()}`;
  const child = children.spawn({
    command,
    args: ['--port', address, 'posix', '--sidecar', facts, data],
    env: { ROOT_ACCESS_KEY: KEYS.accessKeyId, ROOT_SECRET_KEY: KEYS.secretAccessKey },
    logFile: join(logs, 'bucket.log'),
  });
  const endpoint = `http://${address}`;
  const answers = async (): Promise<boolean> => (await fetch(endpoint)).status > 0;
  await waitUntilReady('The S3 server', child, answers, 60_000);
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: KEYS,
  });
  await client.send(new CreateBucketCommand({ Bucket: NAME }));
  client.destroy();
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = KEYS;
  return { endpoint, bucket: NAME, accessKey, secretKey };
}
