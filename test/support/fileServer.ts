import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers a request for a file in its own way. */
export type FileAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** A substitute for the server of the platform's files. It sends a file for every path, unless told otherwise. */
export interface FileServer {
  url: string;
  /** The paths that were asked for, without their queries. */
  requests: string[];
  /** The answers for single paths. */
  answers: Map<string, FileAnswer>;
  close(): Promise<void>;
}

/** The bytes that it sends for a path. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(`the file at ${path}`);
}

/** Starts the server on a free port of this machine. */
export async function startFileServer(): Promise<FileServer> {
  const requests: string[] = [];
  const answers = new Map<string, FileAnswer>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!;
    requests.push(path);
    const answer = answers.get(path) ?? give(bytesOf(path), 'image/png');
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An answer with these bytes. */
export function give(bytes: Buffer, type: string): FileAnswer {
  return (response) => {
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length });
    response.end(bytes);
  };
}

/** An answer with a status. */
export function fail(status: number, headers: Record<string, string> = {}): FileAnswer {
  return (response) => {
    response.writeHead(status, headers);
    response.end('no');
  };
}
