import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  fetchFile,
  FileRefused,
  FilesLimited,
  type FileRequest,
} from '../../../../services/indexer/mirror/fetchFile.js';
import { createFolderFiles } from '../../../../shared/mirror/folderFiles.js';
import { isStoreAway } from '../../../../shared/platform/storeErrors.js';
import { until } from '../../../support/apiServer.js';
import { fail, give, startFileServer, type FileServer } from '../../../support/fileServer.js';
import { heldBytes } from '../../../support/heldBytes.js';

const MOST = 1_000;
const PATH = '/avatars/1/a.png';

describe('fetchFile', () => {
  let server: FileServer;
  let folder: string;
  before(async () => {
    server = await startFileServer();
    folder = mkdtempSync(join(tmpdir(), 'forum-archive-unit-'));
  });
  afterEach(() => server.answers.clear());
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const ask = (more: Partial<FileRequest> = {}, timeoutMs?: number) => {
    const files = createFolderFiles(folder, 'test');
    mkdirSync(files.incoming, { recursive: true });
    const { signal } = new AbortController();
    return fetchFile(
      { files, cdnUrl: server.url, maxFileBytes: MOST },
      { path: PATH, bytes: 0, takes: (type) => type === 'image/png', signal, ...more },
      timeoutMs,
    );
  };
  const errorOf = async (asked: Promise<unknown>): Promise<Error> => {
    const error = await asked.then(
      () => new Error('It arrived'),
      (reason: unknown) => reason as Error,
    );
    expect(readdirSync(join(folder, 'test', 'incoming')), error.message).to.deep.equal([]);
    return error;
  };

  it('fetches a file whole, and tells what it is', async () => {
    const bytes = Buffer.alloc(MOST, 7);
    server.answers.set(PATH, give(bytes, 'IMAGE/png; charset=x'));
    const arrived = await ask({ bytes: MOST });
    expect(readFileSync(arrived.path).equals(bytes)).to.equal(true);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(arrived).to.include({ bytes: MOST, type: 'image/png', sha256 });
    rmSync(arrived.path);
  });

  it('reads no more than a file may have, whatever its length is said to be', async () => {
    let isCut = false;
    server.answers.set(PATH, (response) => {
      response.writeHead(200, { 'Content-Type': 'image/png' });
      const timer = setInterval(() => response.write(Buffer.alloc(500)), 1);
      response.on('close', () => {
        isCut = true;
        clearInterval(timer);
      });
    });
    expect(await errorOf(ask())).to.be.instanceOf(FileRefused);
    server.answers.set(PATH, give(Buffer.alloc(MOST + 1), 'image/png'));
    expect(await errorOf(ask())).to.be.instanceOf(FileRefused);
    await until(() => isCut);
  });

  it('gives up one that does not end, and one that is cut off, and would try these again', async () => {
    server.answers.set(PATH, (response) => {
      response.writeHead(200, { 'Content-Type': 'image/png' });
      response.write('a');
    });
    const late = await errorOf(ask({}, 200));
    expect(late.message).to.equal('It did not arrive in 0.2 seconds');
    // Otherwise, such an error would stop all copying until the stores are back.
    expect(isStoreAway(late)).to.equal(false);
    server.answers.set(PATH, () => undefined);
    expect((await errorOf(ask({}, 200))).message).to.equal(late.message);
    // A file that is shorter than the length it announces was cut off.
    server.answers.set(PATH, (response) => {
      response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': 100 });
      response.write('a', () => response.destroy());
    });
    expect(await errorOf(ask())).not.to.be.instanceOf(FileRefused);
    server.answers.set(PATH, give(Buffer.from('half'), 'image/png'));
    expect((await errorOf(ask({ bytes: 8 }))).message).to.equal('Only 4 of 8 bytes arrived');
  });

  it('gives up one that does not end, even when garbage is collected meanwhile', async () => {
    server.answers.set(PATH, (response) => {
      response.writeHead(200, { 'Content-Type': 'image/png' });
      response.write('a');
      const timer = setInterval(heldBytes, 20);
      response.on('close', () => clearInterval(timer));
    });
    const late = await errorOf(ask({}, 500));
    expect(late.message).to.equal('It did not arrive in 0.5 seconds');
  });

  it('takes only the types that are wanted, and would try again where something else came', async () => {
    for (const type of ['text/css', 'text/html; charset=utf-8', 'image/png, text/html', 'png']) {
      server.answers.set(PATH, give(Buffer.from('x'), type));
      const error = await errorOf(ask({ takes: (one) => !one.startsWith('text/') }));
      expect(error, type).not.to.be.instanceOf(FileRefused);
      expect(error.message).to.equal(`Its type is ${type.split(';')[0]!}`);
    }
    server.answers.set(PATH, give(Buffer.from('x'), ''));
    expect((await errorOf(ask())).message).to.equal('Its type is not told');
  });

  it('refuses a file of another type that arrives whole', async () => {
    server.answers.set(PATH, give(Buffer.from('whole'), 'text/css'));
    const error = await errorOf(ask({ bytes: 5 }));
    expect(error).to.be.instanceOf(FileRefused).with.property('message', 'Its type is text/css');
    expect(await errorOf(ask({ bytes: 6 }))).not.to.be.instanceOf(FileRefused);
  });

  it('follows no redirect', async () => {
    server.answers.set(PATH, fail(302, { Location: '/elsewhere' }));
    expect(await errorOf(ask())).not.to.be.instanceOf(FileRefused);
    expect(server.requests).not.to.include('/elsewhere');
  });

  it('tells what is gone from what may come later, and waits as long as it is told', async () => {
    for (const status of [404, 410]) {
      server.answers.set(PATH, fail(status));
      expect(await errorOf(ask()), String(status)).to.be.instanceOf(FileRefused);
    }
    for (const status of [302, 401, 403, 407, 503]) {
      server.answers.set(PATH, fail(status));
      expect(await errorOf(ask()), String(status)).not.to.be.instanceOf(FileRefused);
    }
    server.answers.set(PATH, fail(429, { 'Retry-After': '7' }));
    const limited = await errorOf(ask());
    expect(limited).to.be.instanceOf(FilesLimited).with.property('waitMs', 7_000);
  });
});
