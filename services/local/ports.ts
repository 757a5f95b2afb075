import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** Whether a port of an address can be listened on now. */
export async function isPortFree(port: number, host = LOOPBACK): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** The wanted port of the loopback address when it is free, else one that the system chooses. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isPortFree(wanted))) return wanted;
  const server = createServer();
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was assigned');
  return address.port;
}

/** Whether something accepts connections within a second at one of the hosts of a URL, or of a list of URLs. */
export async function isReachable(urls: string): Promise<boolean> {
  const each = urls.split(',').map((part) => (part.includes('://') ? part : `tcp://${part}`));
  return (await Promise.all(each.map(accepts))).includes(true);
}

async function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), timeout: 1000 });
  try {
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'timeout').then(() => Promise.reject(new Error('No answer'))),
    ]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
