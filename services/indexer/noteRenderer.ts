import type { Logger } from '../../shared/platform/logger.js';
import type { Collections } from '../../shared/store/collections.js';
import { describeViews } from '../../shared/store/describeViews.js';
import { stateOf } from '../../shared/store/state.js';
import { RENDERER_VERSION } from './content/renderContent.js';

/** How many bodies tell which renderers have made the views of an archive where this is not recorded yet. */
const LOOKED_AT = 1_000;

/**
 * Records that this renderer makes views from now on. Warns where another renderer may have made some of those that are
 * stored. `renderer` is only given by tests.
 */
export async function noteRenderer(
  { state, bodies }: Pick<Collections, 'state' | 'bodies'>,
  logger: Logger,
  renderer = RENDERER_VERSION,
): Promise<void> {
  const views = stateOf(state, 'views');
  const _id = 'views';
  const isRecorded = (await views.findOne({ _id })) !== null;
  const found = isRecorded ? [] : await renderersOf(bodies);
  const before = { $ifNull: ['$others', found] };
  const last = { $ifNull: ['$renderer', renderer] };
  const others = { $setDifference: [{ $setUnion: [before, [last]] }, [renderer]] };
  const noted = await views.findOneAndUpdate({ _id }, [{ $set: { renderer, others } }], {
    upsert: true,
    returnDocument: 'after',
  });
  const problem = noted && describeViews(noted);
  if (problem) logger.warn({ renderer, others: noted.others }, `Views: ${problem}`);
}

/** Records that this renderer has made all views. */
export async function noteAllRendered({ state }: Pick<Collections, 'state'>): Promise<void> {
  // Where another version has started meanwhile, its renderer has made some views already.
  const own = { _id: 'views', renderer: RENDERER_VERSION } as const;
  await stateOf(state, 'views').updateOne(own, { $set: { others: [] } });
}

/**
 * The renderers that made the first bodies of threads. Threads that have not changed since an update keep their bodies.
 * So these bodies show the earlier renderer, and the others need not be read.
 */
async function renderersOf(bodies: Collections['bodies']): Promise<number[]> {
  const first = await bodies
    .find({ _id: /^thread\// }, { projection: { renderer: 1 }, sort: { _id: 1 }, limit: LOOKED_AT })
    .toArray();
  return [...new Set(first.map((body) => body.renderer))];
}
