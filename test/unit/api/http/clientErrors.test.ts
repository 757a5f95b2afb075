import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { answerClientErrors } from '../../../../services/api/http/clientErrors.js';

describe('answerClientErrors', () => {
  it('answers 408 where the headers of a request do not arrive in time', async () => {
    const server = new Server();
    answerClientErrors(server);
    const socket = new PassThrough();
    const error = Object.assign(new Error('Late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, socket);
    expect(await text(socket)).to.match(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
  });

  it('does not cut an answer because the next request is late while nothing is read', async () => {
    const server = createServer((request, response) => {
      response.write('begun, ');
      request.socket.pause();
      const error = Object.assign(new Error('Late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      server.emit('clientError', error, request.socket);
      response.end('ended');
    });
    answerClientErrors(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { Connection: 'close' } });
      expect(await answer.text()).to.equal('begun, ended');
    } finally {
      server.close();
    }
  });

  it('writes nothing into an answer that has begun, but closes the connection', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('begun');
    });
    const refused: unknown[] = [];
    answerClientErrors(server, (one) => void refused.push(one));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      let received = '';
      client.on('data', (piece) => {
        received += String(piece);
        if (received.endsWith('begun')) client.write('This is no request\r\n\r\n');
      });
      await once(client, 'close');
      expect(received).to.match(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nbegun$/);
      expect(refused).to.deep.equal([{ status: 400 }]);
    } finally {
      server.close();
    }
  });

  it('does not answer on a connection whose end is already sent', () => {
    const server = new Server();
    answerClientErrors(server);
    const socket = new PassThrough();
    socket.end();
    server.emit('clientError', new Error('Odd'), socket);
    expect(socket.destroyed).to.equal(true);
  });
});
