import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { countResources, leftOpen } from '../support/openResources.js';

describe('leftOpen', () => {
  it('names what is open, and nothing that was closed or was open before', async () => {
    const before = countResources();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    expect(await leftOpen(before, 0)).to.deep.equal(['1 TCPServerWrap']);
    expect(await leftOpen(countResources(), 0)).to.deep.equal([]);
    const left = leftOpen(before);
    server.close();
    expect(await left).to.deep.equal([]);
  });
});
