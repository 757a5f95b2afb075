const MARKS = /[\\`*]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|([~|])(?=\1)|\[(?=[^\]]*\]\()/gu;
/** What begins a heading, a quote, a list or small print at the start of a line. */
const LINE_START = /^(\d*)(?=>|#{1,3}\s|-#?\s|(?<=\d)\.\s)/u;

/**
 * Escapes the signs of the platform's markdown in a text of one line, so that the text is shown as it is. Mentions, emoji
 * and addresses are not escaped, and keep their meaning. A sign without a meaning where it stands, such as the underscore
 * in `snake_case`, is not escaped either, because search would find the backslash in the text.
 */
export function escapeMarkdown(text: string): string {
  return text.replace(MARKS, '\\$&').replace(LINE_START, '$1\\');
}
