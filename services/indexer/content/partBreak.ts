const LINE_SEPARATOR = '\u2028';
const PARAGRAPH_SEPARATOR = '\u2029';

/**
 * What stands between the parts of a content, such as the texts of a message's components. The platform reads each part
 * by itself. So a mark that one part opens is closed by none of another, and each part is a paragraph of its own.
 */
export const PART_BREAK = `\n${PARAGRAPH_SEPARATOR}`;

/**
 * A text that the platform reads as one part. Its author may have written a paragraph separator, too. Behind the end of a
 * line, it would break the text into parts, and a spoiler around it would be open. So a line separator takes its place.
 */
export function asOnePart(text: string): string {
  return text.replaceAll(PARAGRAPH_SEPARATOR, LINE_SEPARATOR);
}
