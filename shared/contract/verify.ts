import Joi from 'joi';
import { count, flag, listOf, oneOf, text } from './fields.js';

/** What can be wrong with an archive, and what that means to its readers. */
export const DIFFERENCES = {
  'thread.waiting': 'a changed thread has waited for its views too long',
  'thread.quarantined': 'a thread could not be built: it is shown as it was before, or not at all',
  'thread.wrong':
    'a thread cannot be opened, or is shown, listed or counted otherwise than recorded',
  'thread.shown': 'a thread can be read that must not be',
  'search.wrong': 'search lacks something of a thread, or knows it otherwise than recorded',
  'search.shown': 'search finds what must not be shown',
  'similar.wrong': 'a list of similar threads is missing, or is not as those threads are listed',
  'person.wrong': 'a profile, a leaderboard or a total shows somebody otherwise than counted',
  'server.wrong': 'something of a server is missing, or shown otherwise than recorded or counted',
  'view.orphan': 'a view or search document belongs to a thread that is not recorded',
  'record.orphan': 'messages are recorded without their thread, or a thread without its place',
  'deleted.kept': 'something that was deleted is still recorded',
  'erased.kept': 'somebody who was erased is still known',
  'piece.orphan': 'pieces of a large body or of an upload are kept that nothing names',
  'upload.missing': 'a file waits to be imported whose bytes are gone',
  'work.waiting': 'something has waited to be done too long',
} as const;

export type DifferenceKind = keyof typeof DIFFERENCES;

/** The most differences that a report lists. Those beyond are counted only. */
export const LISTED_DIFFERENCES = 200;

/** POST /admin/verify. */
export interface VerifyRequest {
  repair: boolean;
}

/** Checks a VerifyRequest. */
export const verifyRequestSchema = Joi.object<VerifyRequest>({
  repair: Joi.boolean().default(false).description('Mend what differs (default false)'),
});

/** Something that is not as the records say. */
export interface ReportedDifference {
  kind: DifferenceKind;
  /** What it is about: a thread, a person, a server, or what `detail` says. */
  id: string;
  detail: string;
  mended: boolean;
}

/** The result of a verification. */
export interface VerifyReport {
  /** Nothing differs, or everything that did was mended. */
  clean: boolean;
  /**
   * How many of each thing the first look compared. `again` counts what was looked at once more: it was still being
   * built then, or it differed.
   */
  checked: Record<string, number>;
  /** Counts by kind. Of leftovers, only those that are listed are counted. */
  counts: Partial<Record<DifferenceKind, { found: number; mended: number }>>;
  /** At most LISTED_DIFFERENCES of them. */
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
    .description(
      'How many of each thing the first look compared. `again` counts what was looked at once more: it was still being built, or it differed',
    ),
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
