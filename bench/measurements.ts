import { buildRequest } from '../services/api/search/searchRequest.js';
import { parseQuery } from '../services/api/search/parseQuery.js';
import { buildSuggestRequest } from '../services/api/search/suggestTitles.js';
import { SIGNATURE_BYTES } from '../services/api/paging/cursors.js';
import type { operations } from '../shared/contract/operations.js';
import type { BodyKind } from '../shared/store/bodyKinds.js';
import { listIndexName, RANK_INDEX } from '../shared/store/indexes.js';
import { LIST_SORTS, listScope } from '../shared/store/listKeys.js';
import { searchParams } from '../test/support/searchDocuments.js';
import type { PageQuestion, SearchQuestion } from './floor/floorTask.js';
import { boardPath, LIST_PATH, type Sample } from './readSample.js';

/** An endpoint that is measured. */
export interface Endpoint {
  /** Its name in `--only` and in the table. */
  name: string;
  operationId: keyof typeof operations;
  /** The one path that is asked for over and over. */
  hot: (sample: Sample) => string;
  /** Paths that all differ. Absent where the endpoint has only one path. */
  cold?: (sample: Sample) => ColdPaths;
}

/** Paths of the API, and what the floor does for each. */
export interface ColdPaths {
  paths: string[];
  floor: ColdFloor;
}

/** What the floor does in place of the API. */
export type ColdFloor =
  | { kind: 'body' | 'page'; paths: string[] }
  | { kind: 'search'; questions: SearchQuestion[] };

/** The ways in which an endpoint is asked. */
export const MODES = {
  hot: 'one path over and over, gzip',
  plain: 'the same without gzip',
  unchanged: 'the same with If-None-Match, answered by 304',
  cold: 'every request another path, gzip, the response cache off',
  steady: 'as hot, at a constant rate',
  'steady-cold': 'as cold, at a constant rate',
} as const;

export type Mode = keyof typeof MODES;

/** Public endpoints that are not measured, because they lead to another platform, to log in or to open a file. */
export const UNMEASURED: readonly (keyof typeof operations)[] = [
  'login',
  'exchangeCode',
  'refreshToken',
  'logOut',
  'openAttachment',
  'openAvatar',
  'openIcon',
];

/** Endpoints that are measured in every mode. All others are measured hot and cold. */
const IN_EVERY_MODE = ['thread', 'list', 'stats', 'participants'];
const AT_A_RATE = ['thread', 'list'];

/** The modes in which an endpoint is measured. */
export function modesOf({ name, cold }: Pick<Endpoint, 'name' | 'cold'>): Mode[] {
  return [
    'hot',
    ...(IN_EVERY_MODE.includes(name) ? (['plain', 'unchanged'] as const) : []),
    ...(cold ? (['cold'] as const) : []),
    ...(AT_A_RATE.includes(name) ? (['steady', 'steady-cold'] as const) : []),
  ];
}

/** Every public read of the API. */
export const ENDPOINTS: readonly Endpoint[] = [
  { name: 'index', operationId: 'getIndex', hot: () => '/' },
  { name: 'openapi', operationId: 'getOpenApi', hot: () => '/openapi.json' },
  { name: 'health', operationId: 'getHealth', hot: () => '/healthz' },
  { name: 'readiness', operationId: 'getReadiness', hot: () => '/readyz' },
  { name: 'servers', operationId: 'listServers', hot: () => '/api/servers' },
  stored('server', 'getServer', 'server', serverIds, (id) => `/api/servers/${id}`),
  stored('channels', 'listChannels', 'channels', serverIds, (id) => `/api/servers/${id}/channels`),
  stored('tags', 'listTags', 'tags', serverIds, (id) => `/api/servers/${id}/tags`),
  stored('stats', 'getServerStats', 'stats', serverIds, (id) => `/api/servers/${id}/stats`),
  { name: 'list', operationId: 'listThreads', hot: () => LIST_PATH, cold: listPages },
  stored('thread', 'getThread', 'thread', threadIds, (id) => `/api/threads/${id}`),
  stored(
    'participants',
    'listParticipants',
    'participants',
    threadIds,
    (id) => `/api/threads/${id}/participants`,
  ),
  stored(
    'similar',
    'listSimilarThreads',
    'similar',
    threadIds,
    (id) => `/api/threads/${id}/similar`,
  ),
  stored(
    'user',
    'getUser',
    'user',
    ({ userIds }) => userIds,
    (id) => `/users/${id}`,
  ),
  {
    name: 'leaderboard',
    operationId: 'getLeaderboard',
    cold: boardPages,
    hot: (sample) => boardPath(sample.serverIds[0]!),
  },
  {
    name: 'search',
    operationId: 'searchArchive',
    hot: (sample) => searchPath(wordsOf(sample)[0]!),
    cold: (sample) => searches(wordsOf(sample)),
  },
  {
    name: 'suggest',
    operationId: 'suggestTitles',
    hot: (sample) => suggestPath(beginningsOf(sample)[0]!),
    cold: (sample) => suggestions(beginningsOf(sample)),
  },
];

/** The names of all measurements: `<mode>/<endpoint>`. */
export function measurementNames(): string[] {
  return ENDPOINTS.flatMap((endpoint) =>
    modesOf(endpoint).map((mode) => `${mode}/${endpoint.name}`),
  );
}

function serverIds(sample: Sample): string[] {
  return sample.serverIds;
}

/** The ids of the threads. The middling thread comes first, because it is the one that is asked for when hot. */
function threadIds({ middling, threadIds: ids }: Sample): string[] {
  return [middling.id, ...ids.filter((id) => id !== middling.id)];
}

/** An endpoint whose answers are stored bodies of one kind. */
function stored(
  name: string,
  operationId: Endpoint['operationId'],
  kind: BodyKind,
  idsOf: (sample: Sample) => string[],
  pathOf: (id: string) => string,
): Endpoint {
  return {
    name,
    operationId,
    hot: (sample) => pathOf(idsOf(sample)[0]!),
    cold: (sample) => {
      const ids = idsOf(sample);
      const names = ids.map((id) => `/${encodeURIComponent(`${kind}/${id}`)}`);
      return { paths: ids.map(pathOf), floor: { kind: 'body', paths: names } };
    },
  };
}

function listPages({ listCursors }: Sample): ColdPaths {
  const { field, direction } = LIST_SORTS.latest;
  const question = (key: string): PageQuestion => ({
    collection: 'threadItems',
    filter: { scopes: listScope({ status: 'all' }), [field]: { $lt: key } },
    projection: { _id: 0, item: 1 },
    hint: listIndexName(field),
    sort: { [field]: direction },
    limit: 20,
  });
  return {
    paths: listCursors.map((cursor) => `${LIST_PATH}&cursor=${encodeURIComponent(cursor)}`),
    floor: { kind: 'page', paths: listCursors.map((one) => pathOf(question(positionOf(one)))) },
  };
}

function boardPages({ boards }: Sample): ColdPaths {
  const pages = boards.flatMap(({ serverId, cursors }) =>
    cursors.map((cursor) => ({ serverId, cursor })),
  );
  const question = (serverId: string, position: string): PageQuestion => ({
    collection: 'ranks',
    filter: { boards: `${serverId}/messages/all/humans`, key: { $gt: position.split(' ')[0]! } },
    projection: { _id: 0, item: 1 },
    hint: RANK_INDEX,
    sort: { key: 1 },
    limit: 20,
  });
  return {
    paths: pages.map(
      ({ serverId, cursor }) => `${boardPath(serverId)}&cursor=${encodeURIComponent(cursor)}`,
    ),
    floor: {
      kind: 'page',
      paths: pages.map(({ serverId, cursor }) => pathOf(question(serverId, positionOf(cursor)))),
    },
  };
}

function searches(queries: readonly string[]): ColdPaths {
  return {
    paths: queries.map(searchPath),
    floor: {
      kind: 'search',
      questions: queries.map((q) => searchQuestion(buildRequest(parseQuery(q), searchParams(q)))),
    },
  };
}

function suggestions(beginnings: readonly string[]): ColdPaths {
  return {
    paths: beginnings.map(suggestPath),
    floor: {
      kind: 'search',
      questions: beginnings.map((q) => searchQuestion(buildSuggestRequest({ q }))),
    },
  };
}

/** Two neighbouring words from each title. So each query finds something. */
function wordsOf({ titles }: Sample): string[] {
  return [...new Set(titles.map((title) => title.split(' ').slice(1, 3).join(' ')))];
}

/** The beginning of each title. */
function beginningsOf({ titles }: Sample): string[] {
  return [...new Set(titles.map((title) => title.slice(0, 7).trim()))];
}

function searchPath(q: string): string {
  return `/api/search?q=${encodeURIComponent(q)}`;
}

function suggestPath(q: string): string {
  return `/api/suggest?q=${encodeURIComponent(q)}`;
}

/** The position in a cursor of this API. It stands behind the signature. */
function positionOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').subarray(SIGNATURE_BYTES).toString();
}

function pathOf(question: PageQuestion): string {
  return `/${encodeURIComponent(JSON.stringify(question))}`;
}

/** A request of the API to Elasticsearch: the address, and the body. */
function searchQuestion(request: object): SearchQuestion {
  const { preference, allow_partial_search_results, ...body } = request as Record<string, unknown>;
  const parameters = new URLSearchParams({
    allow_partial_search_results: String(allow_partial_search_results),
    ...(preference === undefined ? {} : { preference: preference as string }),
  });
  return { parameters: parameters.toString(), body: JSON.stringify(body) };
}
