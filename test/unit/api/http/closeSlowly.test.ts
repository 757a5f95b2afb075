import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { closeSlowly } from '../../../../services/api/http/closeSlowly.js';

describe('closeSlowly', () => {
  it('closes the connection of a client that neither ends its body nor its side', async () => {
    const server = createServer((request, response) => {
      closeSlowly(request, 50);
      response.writeHead(403, { Connection: 'close' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ host: '127.0.0.1', port, allowHalfOpen: true }).resume();
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx');
    await once(client, 'end');
    // `close` waits for the connection.
    server.close();
    await once(server, 'close');
    client.destroy();
  });

  it('reads the rest of a body that is passed on to something which takes no more', async () => {
    const server = createServer((request, response) => {
      closeSlowly(request);
      request.pipe(new Writable({ write: () => undefined }));
      response.writeHead(413, { Connection: 'close' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ host: '127.0.0.1', port }).resume();
    const body = Buffer.alloc(32 * 1_048_576);
    client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
    // It is sent to its end. If the server did not read it, it would reset the connection.
    client.end(body);
    await once(client, 'close');
    server.close();
    await once(server, 'close');
  });
});
