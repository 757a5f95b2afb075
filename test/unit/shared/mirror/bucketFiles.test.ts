import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { createBucketFiles } from '../../../../shared/mirror/bucketFiles.js';

describe('createBucketFiles', () => {
  it('does not wait for ever for a bucket that takes requests and says nothing', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const files = await createBucketFiles(
        {
          ...{ name: 'files', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1' },
          ...{ accessKey: 'key', secretKey: 'planted-secret' },
        },
        'forum-archive',
      );
      expect(
        await files.open('a.png', 1).catch((error: unknown) => (error as Error).name),
      ).to.equal('AbortError');
      expect(sockets.length).to.be.greaterThan(0);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});
