import type { Client, estypes } from '@elastic/elasticsearch';
import {
  ensureSearchIndex,
  generationOf,
  readSearchIndex,
  searchAlias,
  searchIndexName,
  writesAlias,
} from '../../../shared/store/searchIndex.js';
import { searchIndexDefinition } from '../../../shared/store/searchMapping.js';

/** The indexes of one archive, by generation. */
export interface Generations {
  elasticsearch: Client;
  namespace: string;
}

/** The index behind the alias; one is made when there is none. */
export async function liveIndex({ elasticsearch, namespace }: Generations): Promise<string> {
  await ensureSearchIndex(elasticsearch, namespace);
  return (await readSearchIndex(elasticsearch, namespace)).index;
}

/** Whether an index exists. */
export function indexExists({ elasticsearch }: Generations, index: string): Promise<boolean> {
  return elasticsearch.indices.exists({ index });
}

/**
 * Creates the next generation, to be written to by its own alias and not yet searched; `live` gets such an alias too.
 * Other generations go first: they are leftovers.
 */
export async function createGeneration(generations: Generations, live: string): Promise<string> {
  const { elasticsearch, namespace } = generations;
  const known = await listGenerations(generations);
  await dropGenerations(
    generations,
    live,
    [...known.values()].filter((index) => index !== live),
  );
  await elasticsearch.indices.putAlias({ index: live, name: writesAlias(live) });
  const index = searchIndexName(namespace, Math.max(0, ...known.keys()) + 1);
  const { settings, mappings } = searchIndexDefinition;
  await elasticsearch.indices.create({
    index,
    // Nobody searches it yet: refreshing can wait until it is checked.
    settings: { ...settings, refresh_interval: -1 },
    mappings,
    aliases: { [writesAlias(index)]: {} },
  });
  return index;
}

/** Makes everything written to an index visible, now and regularly from now on. */
export async function openGeneration({ elasticsearch }: Generations, index: string): Promise<void> {
  // Null stands for the default, which a new index has.
  const settings = { refresh_interval: null } as unknown as estypes.IndicesIndexSettings;
  await elasticsearch.indices.putSettings({ index, settings });
  await elasticsearch.indices.refresh({ index });
}

/** Puts one index in the place of another behind the alias, in one step; fails when the alias is not on `from`. */
export async function swapGenerations(
  { elasticsearch, namespace }: Generations,
  from: string,
  to: string,
): Promise<void> {
  const alias = searchAlias(namespace);
  await elasticsearch.indices.updateAliases({
    actions: [
      { remove: { index: from, alias, must_exist: true } },
      { add: { index: to, alias, is_write_index: true } },
    ],
  });
}

/** Drops indexes, provided that in the same moment the alias is on `live`: what is searched is never dropped. */
export async function dropGenerations(
  { elasticsearch, namespace }: Generations,
  live: string,
  indexes: string[],
): Promise<void> {
  if (indexes.length === 0) return;
  const alias = searchAlias(namespace);
  const actions: estypes.IndicesUpdateAliasesAction[] = [
    { remove: { index: live, alias, must_exist: true } },
    { add: { index: live, alias, is_write_index: true } },
    ...indexes.map((index) => ({ remove_index: { index } })),
  ];
  await elasticsearch.indices.updateAliases({ actions });
}

/** This archive's indexes by their number. */
export async function listGenerations({
  elasticsearch,
  namespace,
}: Generations): Promise<Map<number, string>> {
  const found = await elasticsearch.indices.get({ index: `${searchAlias(namespace)}-*` });
  return new Map(
    Object.keys(found).flatMap((index) => {
      const generation = generationOf(namespace, index);
      return generation === undefined ? [] : [[generation, index] as const];
    }),
  );
}
