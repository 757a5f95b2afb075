import type { EmbedRecord } from '../../../shared/store/records.js';

/** The platform's limit for all embeds of a message together. */
const MOST_CHARACTERS = 6_000;

/**
 * The titles, descriptions, and names and values of fields of a message's embeds, as they are written. Of more than the
 * platform allows, only the first are given.
 */
export function embedTexts(embeds: readonly EmbedRecord[]): string[] {
  const texts: string[] = [];
  let room = MOST_CHARACTERS;
  for (const { title, description, fields } of embeds) {
    const parts = [title, description, ...fields.flatMap(({ name, value }) => [name, value])];
    for (const text of parts) {
      if (!text) continue;
      room -= text.length;
      if (room < 0) return texts;
      texts.push(text);
    }
  }
  return texts;
}
