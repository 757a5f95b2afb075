import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { createApi } from '../../services/api/createApi.js';
import type { AnswerCache } from '../../services/api/http/findKept.js';
import { listen } from '../../services/api/http/listen.js';
import { announcementChannel, type Announcement } from '../../shared/jobs/announcements.js';
import { createProducer } from '../../shared/jobs/producer.js';
import { openMirror } from '../../shared/mirror/openMirror.js';
import { createMongo, createRedis } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { createLogger } from '../../shared/platform/logger.js';
import { TIME_LIMITS } from '../../services/api/timeLimit.js';
import { PATIENCE_MS } from './patientElasticsearch.js';
import { openApiStores, type ApiStores } from './apiStores.js';
import { wasClosedIdle } from './wasClosedIdle.js';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  /** The bytes as they were sent, still encoded. */
  body: Buffer;
  json(): unknown;
}

type Headers = Record<string, string | string[]>;

export interface ApiServer {
  url: string;
  stores: ApiStores;
  cache: AnswerCache;
  /** The lines of the log so far, parsed. */
  log: Record<string, unknown>[];
  get(path: string, headers?: Headers): Promise<Reply>;
  send(
    method: string,
    path: string,
    headers?: Headers,
    body?: object | string | Buffer,
  ): Promise<Reply>;
  announce(announcement: Partial<Announcement>): Promise<void>;
  close(): Promise<void>;
}

export interface ApiOptions {
  /** Addresses in place of the real ones, such as those of a proxy. */
  mongodbUrl?: string;
  redisUrl?: string;
  /** Settings by the name of the variable. Nothing is limited unless RATE_LIMIT_DISABLED is false. */
  env?: Record<string, string>;
  /** For so long (ms) after statistics were dropped, nothing that was read is taken from Redis. */
  settlingMs?: number;
}

/** Starts the API on a free port, over real stores of its own. It receives announcements. */
export async function startApi(options: ApiOptions = {}): Promise<ApiServer> {
  const stores = await openApiStores({ isShared: true });
  const { namespace } = stores.mongo;
  const redisUrl = options.redisUrl ?? readSettings().REDIS_URL;
  const mongo = options.mongodbUrl
    ? createMongo(
        { MONGODB_URL: `${options.mongodbUrl}/${namespace}?directConnection=true` },
        SHORT,
      )
    : stores.mongo;
  // The limit is as short as in production where a test needs a silent store to be noticed.
  const limit = { timeoutMs: options.redisUrl ? 250 : PATIENCE_MS };
  const redis = createRedis(redisUrl, limit);
  redis.on('error', () => undefined);
  await redis.connect().catch(() => undefined);
  const channel = announcementChannel(namespace);
  const log: Record<string, unknown>[] = [];
  const logger = createLogger('api', 'info', {
    write: (line) => void log.push(JSON.parse(line) as Record<string, unknown>),
  });
  const subscriber = createRedis(redisUrl, limit);
  const producer = createProducer({ redisUrl, namespace, timeoutMs: limit.timeoutMs });
  const { elasticsearch } = stores;
  const settings = readSettings({
    RATE_LIMIT_DISABLED: 'true',
    CACHE_MEGABYTES: '16',
    CORS_ORIGINS: '*',
    ...options.env,
  });
  const isWell = !options.redisUrl && !options.mongodbUrl;
  const { app, cache, onRefused, stop } = createApi({
    settings,
    logger,
    mongo,
    elasticsearch,
    redis,
    subscriber,
    producer,
    files: await openMirror(settings, namespace),
    isOneOfMany: false,
    timeLimits: { ...(isWell ? PATIENT : TIME_LIMITS), settlingMs: options.settlingMs },
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0, graceMs: 0, onRefused });
  if (!options.redisUrl) {
    await until(async () => Number((await stores.redis.pubsub('NUMSUB', channel))[1]) === 1);
  }
  // There are thousands of reads, so they share connections.
  const agent = new Agent({ keepAlive: true });
  const send: ApiServer['send'] = (method, path, headers, body) =>
    exchange(server.url, method, path, headers, body, method === 'GET' ? agent : false);
  return {
    url: server.url,
    stores,
    cache,
    log,
    send,
    get: (path, headers) => send('GET', path, headers),
    async announce(announcement) {
      const whole = { threads: [], servers: [], users: [], ...announcement };
      await stores.redis.publish(channel, JSON.stringify(whole));
    },
    async close() {
      agent.destroy();
      await server.drain();
      stop();
      await producer.close();
      redis.disconnect();
      if (mongo !== stores.mongo) await mongo.client.close();
      await stores.close();
    },
  };
}

const SHORT = { timeoutMs: 1_000, poolSize: 20 };

/** The limits of an API whose stores are all there. */
const PATIENT = { pingMs: PATIENCE_MS, callMs: PATIENCE_MS, readMs: PATIENCE_MS };

/**
 * A limit (ms) for things that happen at all. It is longer than any of them takes, and shorter than the time limit of a
 * test. How fast they are does not matter.
 */
const NEVER_MS = 300_000;
const LOOK_EVERY_MS = 10;
/** A question to another process costs both of them more than a look at a value. */
const ASK_EVERY_MS = 50;
/**
 * A question is repeated after so many times the time that it took, because the awaited work needs the processor more.
 */
const REST = 8;
const LONGEST_REST_MS = 200;

/** Resolves when a condition holds. Rejects where it never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + NEVER_MS; performance.now() < end;) {
    const asked = performance.now();
    const answer = holds();
    if (await answer) return;
    const took = performance.now() - asked;
    const leastMs = typeof answer === 'boolean' ? LOOK_EVERY_MS : ASK_EVERY_MS;
    await pause(Math.min(LONGEST_REST_MS, Math.max(leastMs, took * REST)));
  }
  throw new Error('What was waited for did not happen');
}

/** Asks again and again until the answer is as expected. Rejects with the difference where it never is. */
export async function untilEqual<T>(ask: () => T | Promise<T>, expected: T): Promise<void> {
  let seen: T | undefined;
  await until(async () => {
    seen = await ask();
    return isDeepStrictEqual(seen, expected);
  }).catch(() => expect(seen).to.deep.equal(expected));
}

/**
 * Sends one request, on a connection of its own unless an agent is given. The path is sent exactly as it is written,
 * and the body of the answer is left as it comes. An object is sent as JSON.
 */
export function exchange(
  url: string,
  method: string,
  path: string,
  headers: Headers = {},
  body?: object | string | Buffer,
  agent: Agent | false = false,
): Promise<Reply> {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const sentHeaders = isJson ? { 'Content-Type': 'application/json', ...headers } : headers;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const target = { hostname, port, method, path, headers: sentHeaders, agent };
    const sent = request(target, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(pieces);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body,
          json: (): unknown => JSON.parse(body.toString()),
        });
      });
    });
    sent.on('error', (error) => {
      if (!wasClosedIdle(sent, error)) reject(error);
      else resolve(exchange(url, method, path, headers, body, agent));
    });
    sent.end(isJson ? JSON.stringify(body) : body);
  });
}
