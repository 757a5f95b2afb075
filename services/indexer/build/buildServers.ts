import { ALL_SERVERS } from '../../../shared/store/bodyKinds.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import type { BodyTexts } from '../stores/bodyWriter.js';
import { markMirror } from '../mirror/markMirror.js';
import { nextVersion } from '../stores/nextVersion.js';
import { storeMade } from '../work/claims.js';
import type { Documents } from '../work/change.js';
import { cleanPlaces } from './cleanRecords.js';
import { countServer, listAllServers } from './countServer.js';
import { putBodies } from './putViews.js';

/** Counts the marked servers, and stores their bodies. The subject ALL_SERVERS stands for the list of all servers. */
export async function buildServers(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  for (const mark of marks) await buildServer(deps, mark);
}

async function buildServer(deps: IndexerDeps, mark: Mark): Promise<void> {
  const { subject } = mark;
  const version = await nextVersion(deps.collections.state);
  if (subject !== ALL_SERVERS) await cleanPlaces(deps, mark);
  const texts = await textsOf(deps, subject);
  const store = (documents: Documents): void => {
    putBodies(documents, texts, version);
    if (subject !== ALL_SERVERS) markMirror(deps, documents, `server/${subject}`, mark);
  };
  await storeMade(deps, [mark], store, { servers: [subject] });
}

function textsOf(deps: IndexerDeps, subject: string): Promise<BodyTexts> {
  return subject === ALL_SERVERS ? listAllServers(deps) : countServer(deps, subject);
}
