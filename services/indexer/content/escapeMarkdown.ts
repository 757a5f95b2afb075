const MARKS = /[\\`*]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|([~|])(?=\1)|\[(?=[^\]]*\]\()/gu;
/** What makes a heading, a quote, a list or small print at the start of a line. */
const LINE_START = /^(\d*)(?=>|#{1,3}\s|-#?\s|(?<=\d)\.\s)/u;

/**
 * A text on one line, written so that the platform's markdown shows it as it is. Mentions, emoji and addresses in it
 * stay what they are. Marks that mean nothing where they stand, such as that in `snake_case`, stay as well, because
 * search reads the text, too.
 */
export function escapeMarkdown(text: string): string {
  return text.replace(MARKS, '\\$&').replace(LINE_START, '$1\\');
}
