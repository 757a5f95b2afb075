const MARKS = /[\\`*]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|\|(?=\|)|(?<=\|)\||\](?=\()/gu;
const EMOJI_OR_ADDRESS = /(<a?:\w+:\d+>|https?:\/\/[^\s<]+)/i;
/** What begins a heading, a quote, a list or small print at the start of a line. */
const LINE_START = /^(\d*)(?=>|#{1,3}\s|-#?\s|(?<=\d)\.\s)/u;

/**
 * Escapes the signs of the platform's markdown in a text of one line, so that the text is shown as it is. Mentions, emoji
 * and addresses still work. In an address, signs are percent-encoded: a backslash would become a part of the address. A
 * sign that means nothing where it stands, such as the underscore in `snake_case`, stays as it is. If it were escaped,
 * the backslash would be in the text that search looks through.
 */
export function escapeMarkdown(text: string): string {
  return text
    .split(EMOJI_OR_ADDRESS)
    .map((part, n) => {
      // Every second part is an emoji or an address.
      if (n % 2 === 0) return part.replace(MARKS, '\\$&');
      return part.startsWith('<') ? part : part.replace(MARKS, percentEncoded);
    })
    .join('')
    .replace(LINE_START, '$1\\');
}

function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
