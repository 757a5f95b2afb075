import { ALL_SERVERS, bodyNames } from '../../../shared/store/bodyKinds.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { encodeBody } from '../stores/bodyWriter.js';
import { nextVersion } from '../stores/nextVersion.js';
import { endMark, isHeld, readsOf } from '../work/claims.js';
import { cleanPlaces } from './cleanRecords.js';
import { countServer, listAllServers } from './countServer.js';
import type { BodyTexts } from '../stores/bodyWriter.js';

/** Counts servers and stores their bodies, the list of all servers where that is marked. */
export async function buildServers(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  for (const mark of marks) await buildServer(deps, mark);
}

async function buildServer(deps: IndexerDeps, mark: Mark): Promise<void> {
  const { collections } = deps;
  const { subject } = mark;
  const version = await nextVersion(collections.counters);
  if (subject !== ALL_SERVERS) await cleanPlaces(deps, mark);
  const texts = await textsOf(deps, subject);
  await deps.commit({
    reads: readsOf([mark]),
    decide(documents) {
      if (!isHeld(documents, mark)) return;
      for (const [name, text] of texts) {
        if (text === null) documents.remove('bodies', name);
        else documents.put('bodies', encodeBody(name, version, text));
      }
      endMark(documents, mark);
    },
  });
  deps.announcer.announce({ servers: [subject] });
}

/** A server that is not recorded has no bodies. */
async function textsOf({ collections }: IndexerDeps, subject: string): Promise<BodyTexts> {
  if (subject === ALL_SERVERS) return listAllServers(collections);
  const counted = await countServer(collections, subject);
  return counted ?? new Map(bodyNames('server', subject).map((name) => [name, null]));
}
