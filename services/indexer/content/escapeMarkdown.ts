const MARKS = /[\\`*]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|([~|])(?=\1)|\[(?=[^\]]*\]\()/gu;
/** What begins a heading, a quote, a list or small print at the start of a line. */
const LINE_START = /^(\d*)(?=>|#{1,3}\s|-#?\s|(?<=\d)\.\s)/u;

/**
 * Escapes a text of one line, so that the platform's markdown shows it as it is. Mentions, emoji and addresses keep
 * their meaning. A mark that means nothing where it stands, such as the one in `snake_case`, is not escaped, because
 * search reads the text, too.
 */
export function escapeMarkdown(text: string): string {
  return text.replace(MARKS, '\\$&').replace(LINE_START, '$1\\');
}
