import { connect } from 'node:net';
import { expect } from 'chai';
import { headLines, namesAndValues } from '../../../../services/api/http/headLines.js';
import { listen, type Listener } from '../../../../services/api/http/listen.js';

const LINES = headLines(['ETag', '"x"', 'Content-Type', 'text/plain', 'Content-Length', '5']);

/**
 * What a server sends in answer to raw requests, until it ends the connection, or until a while after `enough` has
 * come.
 */
function exchange(url: string, requests: string, enough: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(requests));
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      if (received.includes(enough)) socket.end();
    });
    socket.on('error', reject).on('close', () => resolve(received));
  });
}

/** The lines of a head, without the date. */
function linesOf(answer: string): string[] {
  return answer
    .slice(0, answer.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => !line.startsWith('Date: '));
}

describe('PreparedResponse', () => {
  let listener: Listener;
  /** Answers `/prepared` with a head that is given as text, and other paths with the same head by `writeHead`. */
  before(async () => {
    listener = await listen(
      (request, response) => {
        const status = request.headers['if-none-match'] ? 304 : 200;
        if (request.url === '/prepared') response.endPrepared(status, LINES, 'h\xe9llo');
        else response.writeHead(status, namesAndValues(LINES)).end('h\xe9llo', 'latin1');
      },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    );
  });
  after(() => listener.drain());

  for (const [what, request, enough] of [
    ['a read', 'GET PATH HTTP/1.1\r\nHost: x\r\n\r\n', 'h\xe9llo'],
    ['HEAD', 'HEAD PATH HTTP/1.1\r\nHost: x\r\n\r\n', '\r\n\r\n'],
    ['304', 'GET PATH HTTP/1.1\r\nHost: x\r\nIf-None-Match: "x"\r\n\r\n', '\r\n\r\n'],
    [
      'a client that closes the connection',
      'GET PATH HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'h\xe9llo',
    ],
    ['HTTP/1.0', 'GET PATH HTTP/1.0\r\n\r\n', 'h\xe9llo'],
  ] as const) {
    it(`sends what writeHead and end send, for ${what}`, async () => {
      const ask = (path: string) => exchange(listener.url, request.replace('PATH', path), enough);
      const [prepared, written] = [await ask('/prepared'), await ask('/written')];
      expect(linesOf(prepared)).to.deep.equal(linesOf(written));
      expect(prepared.split('\r\n\r\n')[1]).to.equal(written.split('\r\n\r\n')[1]);
      const date = /\r\nDate: (.*)\r\n/.exec(prepared)?.[1] ?? '';
      expect(Math.abs(Date.parse(date) - Date.now())).to.be.below(60_000);
    });
  }

  it('answers requests of one connection in their order', async () => {
    const ask = 'GET /prepared HTTP/1.1\r\nHost: x\r\n\r\n';
    const held = 'GET /prepared HTTP/1.1\r\nHost: x\r\nIf-None-Match: "x"\r\n\r\n';
    const last = 'GET /written HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answers = await exchange(listener.url, ask + held + ask + last, 'never');
    expect(answers.match(/HTTP\/1.1 \d+/g)).to.deep.equal([
      'HTTP/1.1 200',
      'HTTP/1.1 304',
      'HTTP/1.1 200',
      'HTTP/1.1 200',
    ]);
    expect(answers.split('h\xe9llo')).to.have.length(4);
  });
});

describe('headLines', () => {
  it('refuses text that would begin another header or answer', () => {
    for (const headers of [
      ['ETag', 'a\r\nSet-Cookie: x'],
      ['ETag', 'a\n'],
      ['E\r\nTag', 'a'],
      ['ETag', '\u{1F600}'],
    ]) {
      expect(() => headLines(headers)).to.throw(TypeError);
    }
  });

  it('parses back to what it was made from', () => {
    const headers = ['Vary', 'Accept-Encoding', 'RateLimit', '"reads";r=1;t=2', 'X', 'a: b'];
    expect(namesAndValues(headLines(headers))).to.deep.equal(headers);
    expect(namesAndValues('')).to.deep.equal([]);
  });
});
