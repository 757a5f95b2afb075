import { MongoServerError } from 'mongodb';

/** MongoDB's answer to an insert by a user who may only read. It repeats the document without escaping anything. */
export function refusedInsert(): MongoServerError {
  const documents = '[ { hash: "2fc5", name: "$& planted\n    at planted" } ]';
  return new MongoServerError({
    ok: 0,
    code: 13,
    codeName: 'Unauthorized',
    errmsg: `not authorized on archive to execute command { insert: "apiKeys", documents: ${documents} }`,
  });
}
