import type { Mongo } from '../../shared/platform/clients.js';

/** How many documents of a collection each request has read that was made meanwhile. */
export async function readsOfEach(
  { db }: Pick<Mongo, 'db'>,
  { namespace }: { namespace: string },
  run: () => Promise<unknown>,
): Promise<number[]> {
  await db.command({ profile: 2 });
  await run();
  await db.command({ profile: 0 });
  const requests = db.collection<{ docsExamined?: number }>('system.profile');
  const found = await requests.find({ ns: namespace }).toArray();
  await db.dropCollection('system.profile');
  return found.flatMap(({ docsExamined = [] }) => docsExamined);
}
