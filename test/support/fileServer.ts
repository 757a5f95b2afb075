import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers a request for a file in a way of its own. */
export type FileAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** A stand-in for where the platform's files are. It gives a file for every path, unless told otherwise. */
export interface FileServer {
  url: string;
  /** Paths that were asked for, without their queries. */
  requests: string[];
  /** How it answers for a path. */
  answers: Map<string, FileAnswer>;
  close(): Promise<void>;
}

/** The bytes that it gives for a path. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(`the file at ${path}`);
}

/** Starts it on a free port of this machine. */
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

/** Gives some bytes. */
export function give(bytes: Buffer, type: string): FileAnswer {
  return (response) => {
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length });
    response.end(bytes);
  };
}

/** Answers with a status. */
export function fail(status: number, headers: Record<string, string> = {}): FileAnswer {
  return (response) => {
    response.writeHead(status, headers);
    response.end('no');
  };
}
