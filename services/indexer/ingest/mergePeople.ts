import type { SourceMessage, UserRecord } from '../../../shared/store/records.js';
import { tieOf } from '../records/mergeFields.js';
import { ERASED_ID } from '../records/tombstones.js';
import type { Documents } from '../work/commit.js';

/** What is shown of a person beside what they wrote. */
const SHOWN = ['username', 'displayName', 'avatar', 'isBot'] as const;

/** Keeps the newest snapshot of everyone who wrote. Who is new or looks different from before is marked for counting. */
export function mergePeople(
  documents: Documents,
  batch: readonly SourceMessage[],
  causes: readonly string[] | undefined,
): void {
  for (const { author, asOf, counted } of batch) {
    if (!counted || author.id === ERASED_ID) continue;
    const { id, ...snapshot } = author;
    const user: UserRecord = { _id: id, ...snapshot, asOf };
    const known = documents.get('users', id);
    if (known && !isLater(user, known)) continue;
    documents.put('users', user);
    if (!known || !looksTheSame(user, known)) {
      documents.mark('person', id, { causes });
    }
  }
}

function isLater(user: UserRecord, known: UserRecord): boolean {
  if (user.asOf !== known.asOf) return user.asOf > known.asOf;
  // Most often it is the same: a source tells of a person with each of their messages.
  const isSame = user.discriminator === known.discriminator && looksTheSame(user, known);
  return !isSame && tieOf(user) > tieOf(known);
}

function looksTheSame(user: UserRecord, known: UserRecord): boolean {
  return SHOWN.every((name) => known[name] === user[name]);
}
