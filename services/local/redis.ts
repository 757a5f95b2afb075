import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { serverEnv, type LocalServer, type ServerContext } from './localServer.js';
import { waitUntilReady } from './waitUntilReady.js';

/** Starts redis-server (or valkey-server) for the queue. It evicts nothing, and keeps its data across restarts. */
export async function startRedis(
  program: string,
  port: number,
  { env, dataDir, logs, children }: ServerContext,
): Promise<LocalServer> {
  const folder = join(dataDir, 'redis');
  await mkdir(folder, { recursive: true });
  const child = children.spawn({
    command: program,
    args: redisArguments(folder, port),
    cwd: folder,
    env: serverEnv(env),
    logFile: join(logs, 'redis.log'),
  });
  await waitUntilReady('Redis', child, () => answersPing(port), 30_000);
  return { name: 'Redis', url: `redis://127.0.0.1:${port}`, child };
}

function redisArguments(folder: string, port: number): string[] {
  const network = ['--port', String(port), '--bind', '127.0.0.1'];
  const storage = ['--dir', folder, '--appendonly', 'yes', '--save', ''];
  return [...network, ...storage, '--maxmemory-policy', 'noeviction'];
}

// Redis accepts connections while it still loads its data. It is ready once it answers PONG.
async function answersPing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').setTimeout(1000);
  try {
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().startsWith('+PONG');
  } finally {
    socket.destroy();
  }
}
