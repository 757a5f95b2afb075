import { MongoServerError } from 'mongodb';

/** What MongoDB answers to an insert of somebody who may only read. It escapes nothing of what it repeats. */
export function refusedInsert(): MongoServerError {
  const documents = '[ { hash: "2fc5", name: "$& planted\n    at planted" } ]';
  return new MongoServerError({
    ok: 0,
    code: 13,
    codeName: 'Unauthorized',
    errmsg: `not authorized on archive to execute command { insert: "apiKeys", documents: ${documents} }`,
  });
}
