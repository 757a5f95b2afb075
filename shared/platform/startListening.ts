import { once } from 'node:events';
import type { Server } from 'node:http';
import { SettingsError } from './settingsError.js';

/**
 * Makes a server listen at an address. `setting` names the setting of its port. Throws SettingsError where the address
 * cannot be listened on.
 */
export async function startListening(
  server: Server,
  { host, port, setting }: { host: string; port: number; setting: 'PORT' | 'METRICS_PORT' },
): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another program does already' : message;
    throw new SettingsError([`${setting} ${port} of ${host} cannot be listened on: ${reason}`]);
  });
}
