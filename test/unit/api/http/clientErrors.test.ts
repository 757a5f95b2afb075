import { Server } from 'node:http';
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
});
