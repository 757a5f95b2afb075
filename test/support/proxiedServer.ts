import type { OwnServer } from './ownServers.js';
import { startProxy, urlThrough } from './apiProxy.js';

/** A shared server, which can be taken away from those who use it through this address. */
export async function proxiedServer(url: string): Promise<OwnServer & { close(): Promise<void> }> {
  const { hostname, port } = new URL(url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  let isGone = false;
  return {
    url: urlThrough(url, proxy),
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
