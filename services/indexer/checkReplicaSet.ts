import type { Mongo } from '../../shared/platform/clients.js';
import { WrongStoreError } from './wrongStoreError.js';

/** MongoDB's answer to `hello`. A member whose replica set is not initiated yet says `isreplicaset`. */
interface Hello {
  setName?: string;
  isreplicaset?: boolean;
  /** `isdbgrid` from a router of a sharded cluster. */
  msg?: string;
}

/** Throws WrongStoreError for a standalone MongoDB. It has no transactions, so every change would fail. */
export async function checkReplicaSet({ db }: Pick<Mongo, 'db'>): Promise<void> {
  const { setName, isreplicaset, msg } = (await db.command({ hello: 1 })) as Hello;
  if (setName !== undefined || isreplicaset || msg === 'isdbgrid') return;
  throw new WrongStoreError(
    'MongoDB at MONGODB_URL is a standalone server, which has no transactions: start it with --replSet and initiate the replica set (one member is enough)',
  );
}
