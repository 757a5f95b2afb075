import type { Mongo } from '../../shared/platform/clients.js';

/** The same archive, except that something is done after every write of the restore. */
export function sweptBetween(mongo: Mongo, sweep: (name: string) => Promise<void>): Mongo {
  const collection = (name: string) => {
    const own = mongo.db.collection(name);
    const swept =
      (method: 'insertMany' | 'bulkWrite') => async (documents: never, options: never) => {
        await own[method](documents, options);
        await sweep(name);
      };
    return { insertMany: swept('insertMany'), bulkWrite: swept('bulkWrite') };
  };
  return { ...mongo, db: { collection } as unknown as Mongo['db'] };
}
