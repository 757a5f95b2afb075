import { once } from 'node:events';
import { createServer, request, type ClientRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import { mock } from 'node:test';
import { expect } from 'chai';
import Joi from 'joi';
import { readBody, type Pace } from '../../../../services/api/http/body.js';
import {
  jsonBody,
  rawBody,
  type BodyRule,
  type RawBody,
} from '../../../../shared/contract/operation.js';
import { until } from '../../../support/apiServer.js';

const RAW = rawBody(['application/json'], 10_000_000);
const JSON_RULE = jsonBody(Joi.object());

describe('the pace of a body', () => {
  let server: Server;
  afterEach(() => {
    mock.restoreAll();
    server.close();
  });

  /** Begins a request to a server that reads its body by `read`, at a pace. `outcome` is the result of `read`. */
  async function begin<T>(
    pace: Pace,
    read: (stream: Readable) => Promise<T>,
    rule: BodyRule<unknown> = RAW,
  ) {
    let settle: (outcome: Promise<T>) => void;
    const outcome = new Promise<T>((resolve) => (settle = resolve));
    server = createServer((incoming, response) => {
      const reading = readBody(incoming, rule, pace).then((body) => read((body as RawBody).stream));
      void reading.catch(() => undefined).then(() => response.end());
      settle(reading);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { 'Content-Type': 'application/json' };
    const sent = request({ port, method: 'POST', headers, agent: false });
    sent.on('error', () => undefined).on('response', (response) => response.resume());
    return { sent, outcome };
  }

  for (const [kind, rule] of Object.entries({ raw: RAW, JSON: JSON_RULE })) {
    it(`cuts a client that goes on sending ${kind} byte by byte`, async () => {
      const pace = { windowMs: 200, bytesPerSecond: 1_000 };
      const { sent, outcome } = await begin(pace, countBytes, rule);
      const closed = new Promise((resolve) => sent.on('close', resolve));
      const drip = setInterval(() => sent.write('x'), 5);
      const error = await outcome.catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'VALIDATION_ERROR' });
      await closed;
      clearInterval(drip);
    });
  }

  it('does not cut a client that had to wait for this side', async () => {
    const ends: (() => void)[] = [];
    const timer = { unref: () => timer };
    mock.method(globalThis, 'setInterval', (end: () => void) => {
      ends.push(end);
      return timer;
    });
    const pace = { windowMs: 1_000, bytesPerSecond: 1_000_000 };
    const { sent, outcome } = await begin(pace, async (stream) => {
      await until(() => (stream as Transform).writableNeedDrain);
      // Two windows of time end while nothing is read.
      for (let n = 0; n < 2; n += 1) ends[0]!();
      return countBytes(stream);
    });
    sendAll(sent, 2_000_000);
    expect(await outcome).to.equal(2_000_000);
  });
});

async function countBytes(stream: Readable): Promise<number> {
  let bytes = 0;
  for await (const piece of stream) bytes += (piece as Buffer).length;
  return bytes;
}

function sendAll(sent: ClientRequest, bytes: number): void {
  sent.end(Buffer.alloc(bytes, 'x'));
}
