import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import Joi from 'joi';
import { readBody } from '../../../../services/api/http/body.js';
import { AppError } from '../../../../shared/contract/errors.js';
import {
  jsonBody,
  rawBody,
  type BodyRule,
  type RawBody,
} from '../../../../shared/contract/operation.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const schema = Joi.object<{ n?: number }>({ n: Joi.number() });
const rule = { ...jsonBody(schema), maxBytes: 100 };
const raw = rawBody(['application/json', 'application/gzip', 'multipart/form-data'], 100);

describe('readBody', () => {
  let server: Server;
  let current: BodyRule<unknown>;
  let outcome: Promise<unknown>;
  let begun: () => void;
  let beforeAsking: Promise<unknown> = Promise.resolve();
  let beforeReading: Promise<unknown> = Promise.resolve();
  before(async () => {
    server = createServer((incoming, response) => {
      incoming.on('close', () => setImmediate(() => server.emit('cut')));
      outcome = beforeAsking
        .then(() => readBody(incoming, current))
        .then(
          (body) => beforeReading.then(() => readAll(body)),
          (error: unknown) => error,
        );
      begun();
      void outcome.then(() => response.writeHead(204, { Connection: 'close' }).end());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  /** The result of a body: its value, or the code of its error. */
  async function send(
    by: BodyRule<unknown>,
    headers: Record<string, string>,
    pieces: (string | Buffer)[] = [],
    isCut = false,
  ): Promise<unknown> {
    current = by;
    const arrived = new Promise<void>((resolve) => (begun = resolve));
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, method: 'POST', headers, agent: false });
    sent.on('error', () => undefined).on('response', (response) => response.resume());
    for (const piece of pieces) sent.write(piece);
    if (isCut) void arrived.then(() => sent.destroy());
    else sent.end();
    sent.flushHeaders();
    await arrived;
    const result = await outcome;
    sent.destroy();
    return result instanceof AppError ? result.code : result;
  }

  it('reads checked JSON, in one piece or several', async () => {
    expect(await send(rule, JSON_TYPE, ['{"n":1}'])).to.deep.equal({ n: 1 });
    const type = { 'Content-Type': 'Application/JSON; charset=utf-8' };
    expect(await send(rule, type, ['{"n"', ':2}'])).to.deep.equal({ n: 2 });
  });

  it('reads an optional body of which nobody knows the length before', async () => {
    const optional = { ...rule, optional: true };
    const type = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };
    expect(await send(optional, type, ['{"n":1}'])).to.deep.equal({ n: 1 });
    expect(await send(optional, { 'Content-Length': '0' })).to.deep.equal({});
  });

  it('refuses JSON that is no UTF-8', async () => {
    const texts = { ...jsonBody(Joi.object<{ t: string }>({ t: Joi.string() })), maxBytes: 100 };
    expect(await send(texts, JSON_TYPE, ['{"t":"é"}'])).to.deep.equal({ t: 'é' });
    const latin1 = Buffer.from('{"t":"é"}', 'latin1');
    expect(await send(texts, JSON_TYPE, [latin1])).to.equal('VALIDATION_ERROR');
  });

  it('refuses JSON that is wrong, of wrong shape, or converts nothing in silence', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{"n":"1"}',
      '{"x":1}',
      Buffer.from([0x7b, 0xff]),
    ];
    for (const body of bodies) {
      expect(await send(rule, JSON_TYPE, [body]), String(body)).to.equal('VALIDATION_ERROR');
    }
  });

  it('refuses other media types, and compressed JSON', async () => {
    expect(await send(rule, {}, ['{}'])).to.equal('UNSUPPORTED_MEDIA_TYPE');
    expect(await send(rule, { 'Content-Type': 'text/json' }, ['{}'])).to.equal(
      'UNSUPPORTED_MEDIA_TYPE',
    );
    const zipped = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
    expect(await send(rule, zipped, ['{}'])).to.equal('UNSUPPORTED_MEDIA_TYPE');
  });

  it('refuses raw bodies in an encoding that nobody would undo', async () => {
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd']) {
      const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
      expect(await send(raw, headers, ['{}']), encoding).to.equal('UNSUPPORTED_MEDIA_TYPE');
    }
    const form = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Encoding': 'gzip' };
    expect(await send(raw, form, ['--x--'])).to.equal('UNSUPPORTED_MEDIA_TYPE');
    for (const encoding of ['identity', 'GZIP', 'x-gzip']) {
      const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
      expect(await send(raw, headers, ['ab']), encoding).to.include({ text: 'ab' });
    }
  });

  it('refuses a body that is too large, by its header and as it comes', async () => {
    const announced = { ...JSON_TYPE, 'Content-Length': '101' };
    expect(await send(rule, announced, ['x'], true)).to.equal('PAYLOAD_TOO_LARGE');
    const pieces = ['x'.repeat(60), 'x'.repeat(60)];
    expect(await send(rule, JSON_TYPE, pieces)).to.equal('PAYLOAD_TOO_LARGE');
    expect(await send(raw, JSON_TYPE, pieces)).to.equal('PAYLOAD_TOO_LARGE');
  });

  it('reports that a body is cut', async () => {
    const announced = { ...JSON_TYPE, 'Content-Length': '50' };
    expect(await send(rule, announced, ['{"n":'], true)).to.equal('VALIDATION_ERROR');
    expect(await send(raw, announced, ['{"n":'], true)).to.equal('VALIDATION_ERROR');
  });

  it('reports it even to a reader that begins after a raw body was cut', async () => {
    const announced = { ...JSON_TYPE, 'Content-Length': '50' };
    beforeReading = once(server, 'cut');
    expect(await send(raw, announced, ['{"n":'], true)).to.equal('VALIDATION_ERROR');
    beforeReading = Promise.resolve();
  });

  it('reports it also where the body was cut before it is asked for, even if all of it had arrived', async () => {
    for (const length of [50, 5]) {
      const headers = { ...JSON_TYPE, 'Content-Length': String(length) };
      for (const one of [rule, raw]) {
        beforeAsking = once(server, 'cut');
        expect(await send(one, headers, ['{"n":'], true)).to.equal('VALIDATION_ERROR');
      }
    }
    beforeAsking = Promise.resolve();
  });

  it('takes an absent body for an empty object only where the rule says so', async () => {
    const none = { 'Content-Length': '0' };
    expect(await send(jsonBody(schema, { optional: true }), none)).to.deep.equal({});
    expect(await send(rule, none)).to.equal('UNSUPPORTED_MEDIA_TYPE');
  });

  it('passes on raw bodies as they come, with their headers', async () => {
    const headers = { 'Content-Type': 'application/GZIP', 'Content-Encoding': 'gzip' };
    expect(await send(raw, { ...headers, 'Content-Length': '4' }, ['ab', 'cd'])).to.deep.equal({
      text: 'abcd',
      contentType: 'application/gzip',
      headers: { 'content-type': 'application/GZIP' },
    });
    expect(await send(raw, JSON_TYPE, ['ab'])).to.deep.include({ text: 'ab' });
  });
});

/** The content of a raw body, or any other value as it is. */
async function readAll(body: unknown): Promise<unknown> {
  const { stream, ...about } = body as RawBody;
  if (!(stream instanceof Readable)) return body;
  let text = '';
  try {
    for await (const piece of stream) text += String(piece);
  } catch (error) {
    return error;
  }
  return { ...about, text };
}
