import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { errors } from '../../../shared/drivers/elasticsearch.js';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { idKey } from '../../../shared/store/listKeys.js';
import {
  searchAlias,
  writesAlias,
  type TombstoneDocument,
} from '../../../shared/store/searchIndex.js';

/** A document waiting for the next bulk request. */
export interface Waiting {
  id: string;
  threadId: string;
  revision: number;
  json: string;
  /** It is a tombstone in place of a document that was refused. */
  isStandIn?: true;
  /** The index will never take it as it is. */
  isRefused?: true;
}

/** A document that the index will never take as it is, and what the index said of it. */
export interface Refusal extends Pick<Waiting, 'id' | 'threadId' | 'revision'> {
  reason: string;
}

/**
 * Where to write. `readTargets` gives the indexes to which every write goes now. Where it gives none, writes go to the
 * index behind the alias.
 */
export interface SearchTargets {
  namespace: string;
  /**
   * Called before each bulk request, when the records of all its documents have been read. A rebuild relies on this
   * order.
   */
  readTargets: () => Promise<string[]>;
}

/** The index could not be reached or is overloaded: the documents are to be written again. */
export class SearchUnavailable extends Error {
  override readonly name = 'SearchUnavailable';
}

/**
 * How long (ms) a bulk request may take: much longer than any other. A request that is given up is sent again. So with
 * a limit that a slow machine reaches, it would do the same work over and over.
 */
const BULK_LIMIT_MS = 120_000;
const RETRIES = 3;
const FIRST_REST_MS = 100;
/** Statuses of documents for which the index has no room, or no shard, at the moment. */
const BUSY = new Set([429, 502, 503, 504]);
/** Types of errors that tell why the index takes nothing now, such as a full disk or a full queue. */
const ABOUT_ITSELF = new Set(['cluster_block_exception', 'es_rejected_execution_exception']);
const MOST_REASON = 300;

/**
 * Stores documents; each replaces an older version only. Every document has its own outcome:
 * - Where the index holds a newer version, the document counts as stored.
 * - Where the index refuses it for good, `onRefused` is told, and a tombstone replaces it and any older version.
 * - Where the index is too busy, or the document went to an index that was just dropped, it is sent again a few times.
 * Throws SearchUnavailable when documents are left after that, or when the request fails.
 */
export async function sendBulk(
  client: Client,
  where: SearchTargets,
  waiting: Waiting[],
  onRefused: (refusals: Refusal[]) => Promise<void>,
): Promise<void> {
  let left = waiting;
  for (let retry = 0; left.length > 0; retry += 1) {
    const targets = await where.readTargets();
    const failures = await sendOnce(client, where.namespace, targets, left);
    const refused = failures.filter(({ status }) => status === 400);
    const told = refused.filter(({ document }) => !document.isStandIn);
    for (const { document } of told) document.isRefused = true;
    if (told.length > 0) await onRefused(told.map(refusal));
    const others = failures.filter(({ status }) => status !== 400);
    requireTransient(others, targets, retry);
    left = [...documentsOf(others), ...documentsOf(told).map(standIn)];
    if (others.some(({ status }) => BUSY.has(status))) await wait(FIRST_REST_MS * 2 ** retry);
  }
}

/** Throws SearchUnavailable unless a further try may succeed for every one of them. */
function requireTransient(failures: Failure[], targets: string[], retry: number): void {
  const isDropped = (status: number): boolean => status === 404 && targets.length > 1;
  const lasting =
    retry >= RETRIES
      ? failures[0]
      : failures.find(({ status }) => !BUSY.has(status) && !isDropped(status));
  if (!lasting) return;
  const { status, document, error } = lasting;
  throw new SearchUnavailable(
    `The search index answered ${status} for ${document.id}${whyOf(error)}`,
  );
}

/**
 * What the index said, where it is about the index itself. Of an error about a document only the type is told, as the
 * rest may quote what somebody wrote.
 */
function whyOf(error: BulkError | undefined): string {
  if (!error) return '';
  const { type, reason } = error;
  return ABOUT_ITSELF.has(type) ? `: ${type}: ${reason.slice(0, MOST_REASON)}` : `: ${type}`;
}

/** A tombstone in the place of a document. */
export function tombstone({
  id,
  threadId,
  revision,
}: Pick<Waiting, 'id' | 'threadId' | 'revision'>): Waiting {
  const key = idKey(id.slice(id.indexOf('-') + 1));
  const document: TombstoneDocument = { kind: 'tombstone', idKey: key, threadId };
  return { id, threadId, revision, json: JSON.stringify(document) };
}

function standIn(document: Waiting): Waiting {
  return { ...tombstone(document), isStandIn: true };
}

/** The documents that failed, each once: with two targets, one may have failed twice. */
function documentsOf(failures: readonly Failure[]): Waiting[] {
  return [...new Set(failures.map(({ document }) => document))];
}

interface Failure {
  document: Waiting;
  status: number;
  error: BulkError | undefined;
}

interface BulkError {
  type: string;
  reason: string;
}

async function sendOnce(
  client: Client,
  namespace: string,
  targets: string[],
  waiting: Waiting[],
): Promise<Failure[]> {
  const aliases = targets.length > 0 ? targets.map(writesAlias) : [searchAlias(namespace)];
  const body = aliases.flatMap((alias) => waiting.map((one) => bulkLines(alias, one))).join('');
  faultPoint('beforeBulk');
  const { items } = await client
    .bulk({ body }, { requestTimeout: BULK_LIMIT_MS })
    .catch((error: unknown) => {
      throw error instanceof errors.ElasticsearchClientError
        ? new SearchUnavailable('The search index cannot be reached', { cause: error })
        : error;
    });
  faultPoint('bulkSent');
  // Answers come in the order of the lines. 409: a newer version is stored, which is as good.
  return items.flatMap(({ index }, n) => {
    const { status, error } = index as { status: number; error?: BulkError };
    if (status < 300 || status === 409) return [];
    return [{ document: waiting[n % waiting.length]!, status, error }];
  });
}

/** Only an alias is written to, so that an index that was dropped never comes back without its mapping. */
function bulkLines(alias: string, { id, revision, json }: Waiting): string {
  const place = `"_index":"${alias}","require_alias":true,"_id":${JSON.stringify(id)}`;
  return `{"index":{${place},"version":${revision},"version_type":"external"}}\n${json}\n`;
}

/**
 * The record of a document that Elasticsearch has refused. Elasticsearch may quote a value of the document in its
 * reason. The quotation is cut off, so that no text of a message is stored with the refusal.
 */
function refusal({ document: { id, threadId, revision }, error }: Failure): Refusal {
  const said = (error?.reason ?? '').replace(/Preview of field's value.*$/s, '').trim();
  const reason = `${error?.type ?? 'refused'}: ${said}`.slice(0, MOST_REASON);
  return { id, threadId, revision, reason };
}
