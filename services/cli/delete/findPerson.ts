import type { Collections } from '../../../shared/store/collections.js';
import { erasureIdOf } from '../../../shared/store/erasures.js';
import { safeText } from '../safeText.js';
import { amounts } from './amounts.js';
import { isNamedAnywhere } from './isNamedAnywhere.js';
import type { Target } from './target.js';

/** Looks for a person: first in what they wrote and did, and then in everything that others wrote. */
export async function findPerson(collections: Collections, userId: string): Promise<Target> {
  const erasure = await collections.erasures.findOne({
    _id: await erasureIdOf(collections, userId),
  });
  // Where an erasure was cut off, or still waits, it may be requested again.
  const isUnderWay = erasure?.userId !== undefined;
  const isKnown =
    isUnderWay ||
    (await isOwnHere(collections, userId)) ||
    (await isNamedAnywhere(collections, userId));
  const unknown = erasure?.finishedAt
    ? `The user ${userId} was erased already, and nothing of them has come back`
    : `Nobody with the id ${userId} is in the archive. With --even-if-unknown, they are kept out of later imports`;
  return {
    ...(isKnown ? {} : { unknown }),
    describe: () => describePerson(collections, userId),
  };
}

/** Whether somebody wrote a message, has a profile or has logged in. */
async function isOwnHere(
  { messages, contributions, members, refreshTokens }: Collections,
  userId: string,
): Promise<boolean> {
  const found = await Promise.all([
    messages.findOne({ 'author.id': userId }, { projection: { _id: 1 } }),
    contributions.findOne({ userId }),
    members.findOne({ userId }),
    refreshTokens.findOne({ userId }),
  ]);
  return found.some((one) => one !== null);
}

async function describePerson(
  { contributions, messages, threads }: Collections,
  userId: string,
): Promise<string[]> {
  // What was deleted does not keep its author. So messages and threads are counted from the indexes of their authors
  // alone.
  const theirs = { 'author.id': userId };
  const [shown, said, message, thread] = await Promise.all([
    contributions.findOne({ userId }, { sort: { lastAt: -1 } }),
    messages.findOne(theirs),
    messages.countDocuments(theirs),
    threads.countDocuments({ ownerId: userId }),
  ]);
  // Messages in a withheld forum are shown nowhere, so no name is taken from them.
  const { displayName, username } = (shown ?? said)?.author ?? {};
  const name = username === undefined ? '' : ` ${displayName} (${username})`;
  const started = thread > 0 ? `, among them what started ${amounts({ thread })}` : '';
  return [
    safeText(`This erases the user ${userId}${name}: ${amounts({ message })}${started}`),
    'Every mention of them goes as well, and no import brings anything back',
  ];
}
