import type { EmbedRecord } from '../../../shared/store/records.js';
import { textsWithin } from '../../../shared/store/textsWithin.js';

/** The platform's limit for all embeds of a message together. */
export const MOST_EMBED_CHARACTERS = 6_000;

/**
 * The titles, descriptions, and names and values of fields of a message's embeds, as they are written. Where these are
 * longer than the platform allows, only the first ones are given.
 */
export function embedTexts(embeds: readonly EmbedRecord[]): string[] {
  const texts = embeds.flatMap(({ title, description, fields }) => [
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  return textsWithin(
    texts.flatMap((text) => text || []),
    MOST_EMBED_CHARACTERS,
  );
}
