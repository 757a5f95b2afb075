import type { Collection } from 'mongodb';
import type { Mongo } from '../../shared/platform/clients.js';
import type { Collections } from '../../shared/store/collections.js';

/** Collections that may hold something in an archive that counts as empty. Nobody would miss their content. */
export const UNCOUNTED: ReadonlySet<string> = new Set<keyof Collections>([
  'audit',
  'oauthStates',
  'refreshTokens',
  'state',
  'sync',
]);

/**
 * The name of a collection that holds something; undefined where the archive is empty. An archive whose content was
 * deleted is not empty: it holds what keeps that content from coming back.
 */
export async function heldCollection({
  collections,
}: Pick<Mongo, 'collections'>): Promise<string | undefined> {
  for (const [name, collection] of Object.entries(collections) as [string, Collection][]) {
    if (UNCOUNTED.has(name)) continue;
    if (await collection.findOne({}, { projection: { _id: 1 } })) return name;
  }
  return undefined;
}
