import type { Client, estypes } from '@elastic/elasticsearch';
import {
  readSearchIndex,
  searchAlias,
  searchIndexName,
  writesAlias,
} from '../../../shared/store/searchIndex.js';
import { searchIndexDefinition } from '../../../shared/store/searchMapping.js';

/** Where the indexes of one archive are. */
export interface SearchPlace {
  elasticsearch: Client;
  namespace: string;
}

/** The name of the index behind the alias; undefined where the index was lost. */
export async function liveIndex({
  elasticsearch,
  namespace,
}: SearchPlace): Promise<string | undefined> {
  const name = searchAlias(namespace);
  if (!(await elasticsearch.indices.existsAlias({ name }))) return undefined;
  return (await readSearchIndex(elasticsearch, namespace)).index;
}

/** Whether an index exists. */
export function indexExists({ elasticsearch }: SearchPlace, index: string): Promise<boolean> {
  return elasticsearch.indices.exists({ index });
}

/**
 * Creates the index of a generation. It is written to by an alias of its own, and is not searched yet. `live`, the index
 * behind the alias, gets such an alias, too, where there is one.
 */
export async function createGeneration(
  { elasticsearch, namespace }: SearchPlace,
  live: string | undefined,
  generation: number,
): Promise<string> {
  if (live !== undefined) {
    await elasticsearch.indices.putAlias({ index: live, name: writesAlias(live) });
  }
  const index = searchIndexName(namespace, generation);
  const aliases = { [writesAlias(index)]: {} };
  await elasticsearch.indices.create({ index, ...searchIndexDefinition, aliases });
  return index;
}

/**
 * Moves the alias from one index to another in one step. Fails where the alias is not on `from`. Where the index before
 * was lost, `from` is undefined.
 */
export async function swapGenerations(
  { elasticsearch, namespace }: SearchPlace,
  from: string | undefined,
  to: string,
): Promise<void> {
  const actions = moveAlias(searchAlias(namespace), from, to);
  await elasticsearch.indices.updateAliases({ actions });
}

/**
 * Drops indexes, but only if the alias is on `live` in the same step. So an index that is searched is never dropped.
 * Where the index behind the alias was lost, `live` is undefined.
 */
export async function dropGenerations(
  { elasticsearch, namespace }: SearchPlace,
  live: string | undefined,
  indexes: string[],
): Promise<void> {
  if (indexes.length === 0) return;
  const stay = live === undefined ? [] : moveAlias(searchAlias(namespace), live, live);
  const actions = [...stay, ...indexes.map((index) => ({ remove_index: { index } }))];
  await elasticsearch.indices.updateAliases({ actions });
}

function moveAlias(
  alias: string,
  from: string | undefined,
  to: string,
): estypes.IndicesUpdateAliasesAction[] {
  return [
    ...(from === undefined ? [] : [{ remove: { index: from, alias, must_exist: true } }]),
    { add: { index: to, alias, is_write_index: true } },
  ];
}
