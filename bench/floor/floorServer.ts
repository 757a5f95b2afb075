/**
 * A server that does only what is needed for an answer, over bare node:http. Its argument (a FloorTask as JSON) says
 * what that is. It tells its parent process its URL.
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Document } from 'mongodb';
import { pack } from '../../services/api/answer.js';
import { createMongo } from '../../shared/platform/clients.js';
import type { BodyView } from '../../shared/store/views.js';
import type { FloorTask, PageQuestion, SearchQuestion } from './floorTask.js';

/** Finds the headers and bytes to send. A page is compressed as the API does it. */
type Answerer = (url: string) => Promise<{ headers: Record<string, string>; bytes: Uint8Array }>;

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const GZIP_TYPE = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };

const task = JSON.parse(process.argv[2] ?? '') as FloorTask;
const respond = task.kind === 'bytes' ? sendBytes(task) : sendFound(await openAnswerer(task));
const server = createServer((request, response) => respond(request.url ?? '/', response));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send!({ url: `http://127.0.0.1:${port}` });
});
process.on('disconnect', () => process.exit());

function sendBytes({ file, headers, status }: Extract<FloorTask, { kind: 'bytes' }>) {
  const body = readFileSync(file);
  const sent = status === 304 ? headers : { ...headers, 'Content-Length': body.length };
  return (_url: string, response: ServerResponse): void => {
    response.writeHead(status, sent);
    response.end(status === 304 ? undefined : body);
  };
}

function sendFound(find: Answerer) {
  return (url: string, response: ServerResponse): void => {
    find(url).then(
      ({ headers, bytes }) => {
        response.writeHead(200, { ...headers, 'Content-Length': bytes.length });
        response.end(bytes);
      },
      (error: unknown) => {
        response.writeHead(500).end(String(error));
      },
    );
  };
}

async function openAnswerer(task: Exclude<FloorTask, { kind: 'bytes' }>): Promise<Answerer> {
  if (task.kind === 'search') return searchAnswerer(task);
  const mongo = createMongo({ MONGODB_URL: task.mongodbUrl }, { timeoutMs: 60_000, poolSize: 50 });
  await mongo.client.connect();
  const { bodies } = mongo.collections;
  if (task.kind === 'body') {
    return async (url) => {
      const view = await bodies.findOne<BodyView>({ _id: decodeURIComponent(url.slice(1)) });
      return { headers: GZIP_TYPE, bytes: view!.gzip!.value() };
    };
  }
  return async (url) => {
    const question = JSON.parse(decodeURIComponent(url.slice(1))) as PageQuestion;
    const { filter, projection, hint, sort, limit } = question;
    const rows = await mongo.db
      .collection(question.collection)
      .find<Document>(filter, { projection, hint, sort, limit, batchSize: limit + 1 })
      .toArray();
    const text = `{"items":[${rows.map((row) => String(row['item'])).join(',')}]}`;
    return { headers: GZIP_TYPE, bytes: await pack(Buffer.from(text)) };
  };
}

function searchAnswerer({ url, file }: Extract<FloorTask, { kind: 'search' }>): Answerer {
  const questions = JSON.parse(readFileSync(file, 'utf8')) as SearchQuestion[];
  const headers = { 'Content-Type': 'application/json' };
  return async (path) => {
    const { parameters, body } = questions[Number(path.slice(1))]!;
    const found = await fetch(`${url}?${parameters}`, { method: 'POST', headers, body });
    if (!found.ok) throw new Error(await found.text());
    return { headers: JSON_TYPE, bytes: new Uint8Array(await found.arrayBuffer()) };
  };
}
