import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP proxy in front of Elasticsearch that can answer in its place. */
export interface RefusingProxy {
  url: string;
  /** Answers every request with this status from now on. Without a status, requests pass. */
  refuse(status?: number): void;
  close(): Promise<void>;
}

/** Starts a proxy to an address. */
export async function startRefusingProxy(target: string): Promise<RefusingProxy> {
  const agent = new Agent({ keepAlive: true });
  let refusal: number | undefined;
  const server = createServer((incoming, outgoing) => {
    if (refusal === undefined) {
      pass(incoming, outgoing, { target, agent });
      return;
    }
    incoming.resume();
    outgoing.writeHead(refusal, {
      'Content-Type': 'application/json',
      'X-Elastic-Product': 'Elasticsearch',
    });
    outgoing.end('{"error":{"type":"es_rejected_execution_exception"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: (status) => void (refusal = status),
    close() {
      agent.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, agent }: { target: string; agent: Agent },
): void {
  const { method, url, headers } = incoming;
  const { hostname, port } = new URL(target);
  const sent = request({ hostname, port, method, path: url, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => outgoing.destroy());
    answer.on('aborted', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  // A client whose answer is cut gets none, as without this proxy.
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  incoming.pipe(sent);
}
