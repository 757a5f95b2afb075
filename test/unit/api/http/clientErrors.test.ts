import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
});
