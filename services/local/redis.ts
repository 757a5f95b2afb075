import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { keptSecret } from './keptSecret.js';
import { serverEnv, type LocalServer, type ServerContext } from './localServer.js';
import { waitUntilReady } from './waitUntilReady.js';

/**
 * Starts redis-server (or valkey-server) for the queue. It evicts nothing, and keeps its data across restarts. It asks
 * for a password: every user of this machine can connect to it, and could otherwise have it write files as the user who
 * runs it (CONFIG SET dir).
 */
export async function startRedis(
  program: string,
  port: number,
  { env, dataDir, logs, children }: ServerContext,
): Promise<LocalServer> {
  const folder = join(dataDir, 'redis');
  // Redis writes its data so that everybody may read it.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const password = await keptSecret(dataDir, 'redis-password');
  const config = join(folder, 'redis.conf');
  // Every user of this machine can read the arguments of a process. So the password stands in a file.
  await writeFile(config, `requirepass ${JSON.stringify(password)}\n`, { mode: 0o600 });
  const child = children.spawn({
    command: program,
    args: [config, ...redisArguments(folder, port)],
    cwd: folder,
    env: serverEnv(env),
    logFile: join(logs, 'redis.log'),
  });
  await waitUntilReady('Redis', child, () => answersPing(port, password), 30_000);
  const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  return { name: 'Redis', url, child };
}

function redisArguments(folder: string, port: number): string[] {
  const network = ['--port', String(port), '--bind', '127.0.0.1'];
  const storage = ['--dir', folder, '--appendonly', 'yes', '--save', ''];
  return [...network, ...storage, '--maxmemory-policy', 'noeviction'];
}

// Redis accepts connections while it still loads its data. It is ready once it answers PONG.
async function answersPing(port: number, password: string): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(1000, () => socket.destroy(new Error('It does not answer')));
  socket.write(`AUTH ${JSON.stringify(password)}\r\nPING\r\nQUIT\r\n`);
  return (await text(socket)).includes('+PONG');
}
