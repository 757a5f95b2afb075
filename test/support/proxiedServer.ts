import type { OwnServer } from './ownServers.js';
import { startProxy } from './apiProxy.js';

/** A shared server, which can be taken away from those who use it through this address. */
export async function proxiedServer(url: string): Promise<OwnServer & { close(): Promise<void> }> {
  const { protocol, hostname, port } = new URL(url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  let isGone = false;
  return {
    url: `${protocol}//127.0.0.1:${proxy.port}`,
    freeze() {
      proxy.freeze();
      return Promise.resolve();
    },
    thaw() {
      proxy.thaw();
      return Promise.resolve();
    },
    async kill() {
      if (!isGone) await proxy.cut();
      isGone = true;
    },
    async restart() {
      if (isGone) await proxy.mend();
      isGone = false;
    },
    close: () => proxy.close(),
  };
}
