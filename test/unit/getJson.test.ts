import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { getJson } from '../relevance/getJson.js';
import { rejectionOf } from '../support/temporaryFolder.js';

interface Reply {
  status: number;
  body: object;
  retryAfter?: string;
}

const BUSY: Reply = { status: 503, body: { code: 'UNAVAILABLE' }, retryAfter: '0' };
const LIMITED: Reply = { status: 429, body: { code: 'RATE_LIMITED' }, retryAfter: '0' };

describe('getJson', () => {
  let server: Server;
  let replies: Reply[];
  let asked: number;

  before(async () => {
    server = createServer((_request, response) => {
      const { status, body, retryAfter } = replies[Math.min(asked, replies.length - 1)]!;
      asked += 1;
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    asked = 0;
  });
  after(() => server.close());

  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  it('asks a busy API again at the time that it names', async () => {
    replies = [BUSY, LIMITED, { status: 200, body: { total: 3 } }];
    expect(await getJson(url())).to.deep.equal({ total: 3 });
    expect(asked).to.equal(3);
  });

  it('gives up on an API that stays busy', async () => {
    replies = [BUSY];
    expect(await rejectionOf(getJson(url(), 0))).to.include('answered 503');
    expect(asked).to.equal(1);
  });

  it('throws on any other error at once', async () => {
    for (const reply of [
      { ...BUSY, status: 500 },
      { status: 503, body: {} },
    ]) {
      asked = 0;
      replies = [reply];
      expect(await rejectionOf(getJson(url()))).to.include(`answered ${reply.status}`);
      expect(asked).to.equal(1);
    }
  });
});
