import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
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
});
