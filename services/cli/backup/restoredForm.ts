import type { Document } from 'mongodb';
import { MOST_TRIES } from '../../../shared/store/work.js';
import type { KeptName } from './backupFormat.js';

const FORMS: Partial<Record<KeptName, (document: Document) => Document>> = {
  // A quarantined mark gets one more try when its subject is built again.
  work: (mark) => ({ ...mark, tries: MOST_TRIES - 1 }),
  state: restoredState,
};

/** The form in which a document is restored. */
export function restoredForm(name: KeptName, document: Document): Document {
  return FORMS[name]?.(document) ?? document;
}

function restoredState(state: Document): Document {
  const { settings: _settings, ...mirror } = state;
  const id: unknown = state['_id'];
  // All of the mirror is checked, as after a change of its settings. When the backup was made, a copy may have waited to
  // be removed, and the mark that told so is not restored.
  if (id === 'mirror') return mirror;
  // A running process remembers who is erased and who is left out, with this version. It may have served another
  // archive before, whose version was the same.
  if (id === 'erasures' || id === 'optOuts') return { ...state, version: unknownVersion(state) };
  return state;
}

/** A version that no process can know. It is later than all that the backup holds. */
function unknownVersion({ version }: Document): number {
  return Math.max(Date.now(), Number(version) + 1);
}
