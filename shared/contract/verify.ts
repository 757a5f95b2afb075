import Joi from 'joi';
import { DEFAULT_SAMPLE } from './defaultSample.js';
import { count, flag, listOf, oneOf, text } from './fields.js';

/** What can be wrong with an archive, and what that means to its readers. */
export const DIFFERENCES = {
  'mark.pending': 'a changed thread has waited for its views too long',
  'mark.lost': 'a thread changed, its views did not, and nothing says so',
  'mark.aside': 'a thread was set aside because it could not be built',
  'mark.dirty': 'something has waited to be counted too long',
  'body.missing': 'a listed thread cannot be opened',
  'body.stale': 'a thread is shown as it was',
  'body.corrupt': 'the bytes of a stored thread are damaged',
  'body.wrong': 'a thread is shown otherwise than it is recorded',
  'body.shown': 'a thread can be opened that must not be',
  'participants.missing': 'a listed thread has no list of participants',
  'participants.stale': 'participants are shown as they were',
  'participants.corrupt': 'the bytes of a list of participants are damaged',
  'participants.wrong': 'participants are shown otherwise than counted from the messages',
  'participants.shown': 'participants of a thread are shown that must not be',
  'item.missing': 'a thread is in no list',
  'item.stale': 'a thread is listed as it was',
  'item.wrong': 'a thread is listed otherwise than it is recorded',
  'item.shown': 'a thread is listed that must not be',
  'contribution.missing': 'what somebody did in a thread is not counted',
  'contribution.wrong': 'what somebody did in a thread is counted wrongly',
  'contribution.ghost': 'somebody is counted in a thread who said nothing there',
  'search.missing': 'what is said in a thread is not found by search',
  'search.stale': 'search finds a thread as it was',
  'search.wrong': 'search knows a thread otherwise than it is recorded',
  'search.ghost': 'search finds what must not be shown',
  'similar.missing': 'a listed thread has no list of similar threads',
  'similar.corrupt': 'the bytes of a list of similar threads are damaged',
  'similar.wrong': 'similar threads are shown otherwise than they are listed',
  'similar.deleted': 'a list of similar threads names one that is gone',
  'similar.shown': 'similar threads are shown of a thread that must not be',
  'orphan.view': 'a view belongs to a thread that is not recorded',
  'orphan.document': 'search holds documents of a thread that is not recorded',
  'orphan.message': 'messages are recorded of a thread that is not',
  'orphan.thread': 'a thread is recorded whose channel or server is not',
  'deleted.kept': 'something that was deleted is still recorded',
  'erased.kept': 'somebody who was erased is still known',
  'user.missing': 'somebody who wrote is not recorded',
  'member.missing': 'somebody is not counted on a server',
  'member.wrong': 'somebody is counted wrongly on a server',
  'member.ghost': 'somebody is counted on a server where they said nothing',
  'rank.missing': 'somebody is missing on a leaderboard',
  'rank.wrong': 'somebody has the wrong place on a leaderboard',
  'rank.ghost': 'somebody is on a leaderboard who should not be',
  'profile.missing': 'somebody has no profile',
  'profile.corrupt': 'the bytes of a profile are damaged',
  'profile.wrong': 'a profile is shown otherwise than counted',
  'profile.shown': 'a profile is shown that must not be',
  'server.missing': 'something of a server cannot be read',
  'server.corrupt': 'the bytes of something of a server are damaged',
  'server.wrong': 'a server is shown otherwise than recorded or counted',
  'server.shown': 'something of a server is shown that must not be',
  'leftover.piece': 'pieces of a large body are kept that nobody reads',
  'leftover.upload': 'pieces of an upload are kept that nobody waits for',
  'upload.missing': 'a file waits to be imported whose bytes are gone',
  'work.waiting': 'something was asked for an hour ago or more, and is not done',
} as const;

export type DifferenceKind = keyof typeof DIFFERENCES;

/** Differences that a report lists; what is beyond is counted. */
export const LISTED_DIFFERENCES = 200;

/** POST /admin/verify. `sample`: how many threads are rendered again and compared byte for byte. */
export interface VerifyRequest {
  repair: boolean;
  sample: number | 'all';
}

/** Checks a VerifyRequest. */
export const verifyRequestSchema = Joi.object<VerifyRequest>({
  repair: Joi.boolean().default(false).description('Mend what differs (default false)'),
  sample: Joi.alternatives(Joi.number().integer().min(0).max(1_000_000), Joi.valid('all'))
    .default(DEFAULT_SAMPLE)
    .description(
      `Threads rendered again and compared byte for byte, or "all" (default ${DEFAULT_SAMPLE})`,
    ),
});

/** Something that is not as the records say. */
export interface ReportedDifference {
  kind: DifferenceKind;
  /** What it is about: a thread, a person, a server, or what `detail` says. */
  id: string;
  detail: string;
  mended: boolean;
}

/** What a verification came to. */
export interface VerifyReport {
  /** Nothing differs, or everything that did was mended. */
  clean: boolean;
  /** How many of each thing were compared. */
  checked: Record<string, number>;
  /** Counts by kind; of leftovers those that were listed. */
  counts: Partial<Record<DifferenceKind, { found: number; mended: number }>>;
  /** The first LISTED_DIFFERENCES. */
  differences: ReportedDifference[];
  /** How many differences were mended. */
  repaired: number;
}

/** Checks a VerifyReport. */
export const verifyReportSchema = Joi.object<VerifyReport, true>({
  clean: flag('Nothing differs, or everything that did was mended'),
  checked: Joi.object()
    .pattern(Joi.string(), Joi.number())
    .required()
    .description('How many of each thing were compared'),
  counts: Joi.object()
    .pattern(
      Joi.string(),
      Joi.object({ found: count('How many there are'), mended: count('How many were mended') }),
    )
    .required()
    .description('Differences by kind'),
  differences: listOf(
    Joi.object<ReportedDifference, true>({
      kind: oneOf(Object.keys(DIFFERENCES) as DifferenceKind[], 'What is wrong'),
      id: text('What it is about'),
      detail: text('How it differs'),
      mended: flag('Whether it was mended'),
    }),
    `The first ${LISTED_DIFFERENCES}; counts tells of all`,
  ),
  repaired: count('How many differences were mended'),
});
