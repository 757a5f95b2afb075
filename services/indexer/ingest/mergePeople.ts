import type { SourceMessage, UserRecord } from '../../../shared/store/records.js';
import { tieOf } from '../records/mergeFields.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import type { Documents } from '../work/commit.js';

/** What a snapshot tells of a person. */
const TOLD = ['username', 'displayName', 'discriminator', 'avatar', 'isBot'] as const;

/** Keeps the newest snapshot of everyone who wrote. Who is new is marked for counting. */
export function mergePeople(
  documents: Documents,
  batch: readonly SourceMessage[],
  causes: readonly string[] | undefined,
): void {
  for (const { author, webhook, asOf, counted, partsAsOf } of batch) {
    if (!counted || webhook || author.id === ERASED_ID) continue;
    const { id, ...snapshot } = author;
    const nameAt = partsAsOf?.displayName;
    const told: UserRecord = { _id: id, ...snapshot, asOf, ...named(asOf, nameAt) };
    const known = documents.get('users', id);
    const user = known ? mergePerson(told, known) : told;
    if (!user) continue;
    documents.put('users', user);
    if (!known) documents.mark('person', id, { causes });
  }
}

/** The later of two snapshots, with the display name that was told last; null where nothing is new. */
function mergePerson(told: UserRecord, known: UserRecord): UserRecord | null {
  const isToldLater = isLater(told, known);
  const [winner, other] = isToldLater ? [told, known] : [known, told];
  const { displayNameAsOf: at = other.asOf } = other;
  if (at <= (winner.displayNameAsOf ?? winner.asOf)) return isToldLater ? told : null;
  const { displayNameAsOf: _at, ...rest } = winner;
  return { ...rest, displayName: other.displayName, ...named(winner.asOf, at) };
}

/** When a display name was told, where that is not when all was told. */
function named(asOf: number, at: number | undefined): Pick<UserRecord, 'displayNameAsOf'> {
  return at === undefined || at === asOf ? {} : { displayNameAsOf: at };
}

function isLater(user: UserRecord, known: UserRecord): boolean {
  if (user.asOf !== known.asOf) return user.asOf > known.asOf;
  // Most often it is the same: a source tells of a person with each of their messages.
  const isSame = TOLD.every((name) => known[name] === user[name]);
  return !isSame && tieOf(user) > tieOf(known);
}
