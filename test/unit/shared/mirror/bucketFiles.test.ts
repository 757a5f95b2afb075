import { once } from 'node:events';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { BucketError, createBucketFiles } from '../../../../shared/mirror/bucketFiles.js';
import type { MirrorFiles } from '../../../../shared/mirror/mirrorFiles.js';
import { isStoreAway } from '../../../../shared/platform/storeErrors.js';
import { until } from '../../../support/apiServer.js';
import { withTemporaryFolder } from '../../../support/temporaryFolder.js';

const BUCKET = {
  name: 'files',
  endpoint: undefined,
  region: 'us-east-1',
  accessKey: 'key',
  secretKey: 'planted-secret',
};

/** Throws an error, unless it says that no byte has moved for too long. */
function ofNoByte(error: unknown): void {
  expect(String(error)).to.include('of inactivity');
}

/**
 * Files in a bucket of a server. The server's connections are cut afterwards. Resolves with whether there were any.
 */
async function withFiles(
  server: Server,
  use: (files: MirrorFiles) => Promise<void>,
  idleMs?: number,
): Promise<boolean> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bucket = { ...BUCKET, endpoint: `http://127.0.0.1:${port}` };
  try {
    await use(await createBucketFiles(bucket, 'forum-archive', idleMs));
    return sockets.length > 0;
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Where a link leads; null where it is gone meanwhile. */
function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

const errorOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => new Error('It was answered'),
    (error: unknown) => error,
  );

describe('createBucketFiles', () => {
  it('does not wait for ever for a bucket that takes requests and sends no answer', async () => {
    const open = async (files: MirrorFiles) => {
      expect(String(await errorOf(files.open('a.png', 1)))).to.contain('aborted');
    };
    const ask = async (files: MirrorFiles) => {
      expect(String(await errorOf(files.has('a.png', 1)))).to.contain('timed out');
    };
    // On a busy machine, the wait may end before there is a connection. Then it is tried again.
    await until(() => withFiles(createServer(), open));
    await until(() => withFiles(createServer(), ask, 100));
  });

  it('does not count as a store that is away when its server cuts a connection', async () => {
    const cut: RequestListener = (request, response) => {
      // Only a part of the id of the mirror's archive arrives.
      if (request.url!.includes('owner'))
        response.writeHead(200, { 'Content-Length': 32 }).write('5f');
      setTimeout(() => request.socket.resetAndDestroy(), 20);
    };
    await withTemporaryFolder(async (folder) => {
      const path = join(folder, 'file');
      writeFileSync(path, 'a');
      const isReached = await withFiles(createHttpServer(cut), async (files) => {
        const errors = [
          await errorOf(files.put('a', path, { bytes: 1, type: 'image/png' })),
          await errorOf(files.has('a', 1)),
          await errorOf(files.remove(['a'])),
          await errorOf(files.owner()),
        ];
        expect(errors.map(isStoreAway), errors.join('; ')).to.deep.equal(Array(4).fill(false));
      });
      expect(isReached).to.equal(true);
    });
  });

  it('tells a file that is missing or damaged from one that the bucket refuses to show', async () => {
    const statuses: Record<string, number> = { missing: 404, refused: 403 };
    const answer: RequestListener = ({ url }, response) => {
      const name = url!.split(/[/?]/).at(3)!;
      response.writeHead(statuses[name] ?? 200, { 'Content-Length': 5 }).end();
    };
    await withFiles(createHttpServer(answer), async (files) => {
      expect(await files.has('whole', 5)).to.equal(true);
      expect(await files.has('damaged', 4)).to.equal(false);
      expect(await files.has('missing', 5)).to.equal(false);
      expect(await errorOf(files.has('refused', 5))).to.be.instanceOf(BucketError);
    });
  });

  it('tells a missing file from a missing bucket', async () => {
    const answer: RequestListener = ({ url }, response) => {
      const code = url!.includes('owner') ? 'NoSuchBucket' : 'NoSuchKey';
      response.writeHead(404, { 'Content-Type': 'application/xml' });
      response.end(`<Error><Code>${code}</Code><Message>It does not exist</Message></Error>`);
    };
    await withFiles(createHttpServer(answer), async (files) => {
      expect(await files.open('a.png', 1)).to.equal(null);
      expect(String(await errorOf(files.owner()))).to.include('The bucket: It does not exist');
    });
  });

  it('leaves no file open that the bucket refuses before it has read it', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = 3_000_000;
      const path = join(folder, 'refused');
      writeFileSync(path, Buffer.alloc(bytes));
      const isOpen = (): boolean =>
        readdirSync('/proc/self/fd').some((fd) => targetOf(`/proc/self/fd/${fd}`) === path);
      const refuse = createHttpServer((_request, response) => response.writeHead(503).end());
      await withFiles(refuse, async (files) => {
        const error = await errorOf(files.put('a', path, { bytes, type: 'image/png' }));
        expect(String(error)).to.include('The bucket');
        await until(() => !isOpen());
      });
    }));

  it('sends a copy to a reader while many others do not read theirs', async () => {
    const bytes = 10_000_000;
    const server = createHttpServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': bytes }).write(Buffer.alloc(bytes / 2));
    });
    await withFiles(server, async (files) => {
      const copies: Readable[] = [];
      try {
        await until(async () => {
          // On a busy machine, it may take longer than a reader waits.
          const copy = await files.open('a.png', bytes).catch(() => null);
          if (copy) copies.push(copy);
          return copies.length === 60;
        });
      } finally {
        for (const copy of copies) await once(copy.destroy(), 'close');
      }
    });
  });

  it('downloads the files of two users into separate folders', async () => {
    const { getuid } = process;
    const folders: string[] = [];
    try {
      for (const uid of [1, 2]) {
        process.getuid = () => uid;
        const { incoming } = await createBucketFiles(BUCKET, 'forum-archive');
        // The first one to come also makes the folder above.
        folders.push(relative(tmpdir(), incoming).split('/')[0]!);
      }
    } finally {
      process.getuid = getuid!;
    }
    expect(folders[0]).not.to.equal(folders[1]);
  });

  it('waits for a large file as long as bytes of it move', () =>
    withTemporaryFolder(async (folder) => {
      const [bytes, idleMs] = [24_000_000, 500];
      const path = join(folder, 'large');
      writeFileSync(path, Buffer.alloc(bytes));
      let arrived = 0;
      const takeSlowly: RequestListener = (request, response) => {
        const end = performance.now() + 3 * idleMs;
        request.on('data', (piece: Buffer) => {
          arrived += piece.length;
          if (performance.now() > end) return;
          request.pause();
          setTimeout(() => request.resume(), 10);
        });
        request.on('end', () => response.end());
      };
      const put = (files: MirrorFiles) => files.put('large', path, { bytes, type: 'image/png' });
      // On a busy machine, this process may stand still for so long that no byte moves. Then it is tried again.
      await until(async () => {
        arrived = 0;
        await withFiles(
          createHttpServer(takeSlowly),
          (files) => put(files).catch(ofNoByte),
          idleMs,
        );
        return arrived === bytes;
      });
    }));
});
