import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { endpointsOf, freePort, isPortFree, isReachable } from '../../../services/local/ports.js';

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

  it('are chosen one after the other, and from those that no system gives out by itself', async () => {
    const chosen = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(new Set(chosen).size).to.equal(20);
    for (const port of chosen) expect(port).to.be.within(11_000, 19_999);
  });

  it('are the default ports of the scheme where a URL names none', () => {
    const named: [string, string[]][] = [
      ['redis://cache', ['cache 6379']],
      ['rediss://:secret@cache/1', ['cache 6379']],
      ['redis://:se,cret@cache:1234', ['cache 1234']],
      ['mongodb://db/x', ['db 27017']],
      [
        'mongodb://ada:se,cret@a,b:1234,[::1]/x?tags=dc:ny,rack:1',
        ['a 27017', 'b 1234', '::1 27017'],
      ],
      ['mongodb://a?replicaSet=rs0', ['a 27017']],
      ['http://es', ['es 80']],
      ['https://es:443', ['es 443']],
      ['https://a,http://ada:secret@b:9200/path', ['a 443', 'b 9200']],
    ];
    for (const [urls, expected] of named) {
      const endpoints = endpointsOf(urls).map(({ host, port }) => `${host} ${port}`);
      expect(endpoints, urls).to.deep.equal(expected);
    }
  });

  it('are reachable although this process stood still for as long as it waits', async () => {
    const server = createServer().listen(await freePort(), '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const reachable = isReachable(`redis://127.0.0.1:${port}`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
      expect(await reachable).to.equal(true);
    } finally {
      server.close();
    }
  });

  it('are not tried where only the DNS knows the hosts', async () => {
    expect(await isReachable('mongodb+srv://ada:secret@cluster.invalid/x')).to.equal(true);
  });
});
