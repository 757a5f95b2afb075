import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort, isPortFree, isReachable } from '../../../services/local/ports.js';

describe('ports', () => {
  it('keeps a wanted port while it is free, and chooses another when it is not', async () => {
    const port = await freePort();
    expect(await freePort(port)).to.equal(port);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    try {
      expect(await isPortFree(port)).to.equal(false);
      expect(await isReachable(`redis://127.0.0.1:${port}`)).to.equal(true);
      const several = `mongodb://127.0.0.1:1,127.0.0.1:${port}/archive?replicaSet=rs0`;
      expect(await isReachable(several)).to.equal(true);
      expect(await freePort(port)).to.not.equal(port);
    } finally {
      server.close();
    }
    await once(server, 'close');
    expect(await isReachable(`redis://127.0.0.1:${port}`)).to.equal(false);
  });
});
