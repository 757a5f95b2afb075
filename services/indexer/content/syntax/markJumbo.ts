import { isBreak, type MessageToken } from './messageToken.js';

/** How many emojis a message may consist of and still show them large. */
const MAX_JUMBO = 27;

/** No text of 27 emojis is longer (UTF-16 code units). */
const MAX_TEXT_LENGTH = 1_000;

// Built at run time: the compiler's target does not know the v flag yet.
const EMOJI = new RegExp(String.raw`\p{RGI_Emoji}`, 'gv');

/** Marks the emojis of a message that holds nothing else, 27 at most, to be shown large. */
export function markJumbo(tokens: MessageToken[]): MessageToken[] {
  if (!tokens.every(isEmojiOrSpace)) return tokens;
  const split = tokens.flatMap(splitEmojis);
  const count = split.filter((token) => token.type !== 'text' && !isBreak(token)).length;
  return count >= 1 && count <= MAX_JUMBO ? split : tokens;
}

function isEmojiOrSpace(token: MessageToken): boolean {
  return (
    token.type === 'emoji' ||
    isBreak(token) ||
    (token.type === 'text' &&
      token.text.length <= MAX_TEXT_LENGTH &&
      token.text.replace(EMOJI, '').trim() === '')
  );
}

function splitEmojis(token: MessageToken): MessageToken[] {
  if (token.type === 'emoji') return [{ ...token, jumbo: true }];
  if (token.type !== 'text') return [token];
  const pieces: MessageToken[] = [];
  let from = 0;
  for (const { index, 0: emoji } of token.text.matchAll(EMOJI)) {
    if (index > from) pieces.push({ type: 'text', text: token.text.slice(from, index) });
    pieces.push({ type: 'unicodeEmoji', text: emoji });
    from = index + emoji.length;
  }
  if (from < token.text.length) pieces.push({ type: 'text', text: token.text.slice(from) });
  return pieces;
}
