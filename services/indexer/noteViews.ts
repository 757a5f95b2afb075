import type { Collections } from '../../shared/store/collections.js';
import { describeViews } from '../../shared/store/describeViews.js';
import { isLive } from '../../shared/store/sourceTime.js';
import { stateOf, type ViewsState } from '../../shared/store/state.js';
import { RENDERER_VERSION } from './content/renderContent.js';
import type { IndexerDeps } from './deps.js';
import { same } from './records/mergeFields.js';

type Deps = Pick<IndexerDeps, 'collections' | 'resolvedTags' | 'links' | 'mirror'>;

/** How many bodies tell which renderers have made the views of an archive where this is not recorded yet. */
const LOOKED_AT = 1_000;

/**
 * Makes a chore that records with which renderer and settings this indexer makes views. It warns where some views may
 * be made with others. It is done again and again, because another indexer with other settings may make views at the
 * same time. `renderer` is only given by tests.
 */
export function watchViews(
  deps: Deps & Pick<IndexerDeps, 'logger'>,
  renderer = RENDERER_VERSION,
): () => Promise<void> {
  let told: string | null = null;
  return async () => {
    const noted = await noteViews(deps, renderer);
    const problem = noted && describeViews(noted);
    if (problem !== null && problem !== told)
      deps.logger.warn({ others: noted?.others }, `Views: ${problem}`);
    told = problem;
  };
}

/**
 * Records that all views are made as this indexer makes them. If another indexer makes views in another way, that
 * indexer soon records so.
 */
export async function noteAllMade(deps: Deps): Promise<void> {
  const made = { ...madeWith(deps, RENDERER_VERSION), others: [] };
  await stateOf(deps.collections.state, 'views').updateOne({ _id: 'views' }, { $set: made });
}

async function noteViews(deps: Deps, renderer: number): Promise<ViewsState | null> {
  const { state, bodies } = deps.collections;
  const views = stateOf(state, 'views');
  const _id = 'views';
  const made = madeWith(deps, renderer);
  const recorded = await views.findOne({ _id });
  if (recorded && same(recorded, { _id, ...made, others: [] })) return recorded;
  const found = await renderersOf(bodies, recorded ? 1 : LOOKED_AT);
  const isLinked = await hasOwnLinks(deps);
  const last = Object.entries(made)
    .filter(([name]) => name !== 'publicUrl' || isLinked)
    .map(([name, own]) => ({ $ifNull: [`$${name}`, own] }));
  const before = { $ifNull: ['$others', found] };
  const others = { $setDifference: [{ $setUnion: [before, last] }, Object.values(made)] };
  // Without bodies, nothing has been made yet.
  const $set = { ...made, others: found.length === 0 ? [] : others };
  return views.findOneAndUpdate({ _id }, [{ $set }], { upsert: true, returnDocument: 'after' });
}

/** All that decides what views look like, besides the records they are made of. */
function madeWith(
  { resolvedTags, links, mirror }: Deps,
  renderer: number,
): Required<Omit<ViewsState, '_id' | 'others'>> {
  return {
    renderer,
    resolvedTags: `RESOLVED_TAGS=${[...resolvedTags].sort().join(',')}`,
    mirror: mirror ? 'a mirror' : 'no mirror',
    publicUrl: `PUBLIC_URL=${links.publicUrl}`,
  };
}

/**
 * Whether views may hold links to this service. Without a mirror, only attachments of synced messages have such links.
 */
async function hasOwnLinks({ collections, mirror }: Deps): Promise<boolean> {
  if (mirror) return true;
  const servers = await collections.servers.find({}, { projection: { stamps: 1 } }).toArray();
  return servers.some(({ stamps }) => Object.values(stamps).some(isLive));
}

/**
 * The renderers that made the first bodies of threads. Threads that have not changed since an update keep their bodies.
 * So these bodies show the earlier renderer, and the others need not be read.
 */
async function renderersOf(bodies: Collections['bodies'], limit: number): Promise<number[]> {
  const first = await bodies
    .find({ _id: /^thread\// }, { projection: { renderer: 1 }, sort: { _id: 1 }, limit })
    .toArray();
  return [...new Set(first.map((body) => body.renderer))];
}
