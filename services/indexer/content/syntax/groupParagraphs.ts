import { isBlock, isBreak, type MessageToken } from './messageToken.js';

/** Gathers the text between blank lines and blocks into paragraphs. */
export function groupParagraphs(tokens: readonly MessageToken[]): MessageToken[] {
  const groups: MessageToken[] = [];
  let inline: MessageToken[] = [];
  const flush = (): void => {
    const kept = trimBreaks(inline);
    if (kept.length > 0) groups.push({ type: 'paragraph', tokens: kept });
    inline = [];
  };
  for (const token of tokens) {
    if (!isBlock(token) && token.type !== 'blank') {
      inline.push(token);
      continue;
    }
    flush();
    if (isBlock(token)) groups.push(token);
  }
  flush();
  return groups;
}

/** Drops the line breaks around blocks, which stand on lines of their own anyway. */
export function dropBreaksAroundBlocks(tokens: readonly MessageToken[]): MessageToken[] {
  return tokens.filter(
    (token, i) => !isBreak(token) || !(isBlock(tokens[i - 1]) || isBlock(tokens[i + 1])),
  );
}

function trimBreaks(tokens: MessageToken[]): MessageToken[] {
  let start = 0;
  let end = tokens.length;
  while (start < end && isIdle(tokens[start]!)) start++;
  while (end > start && isIdle(tokens[end - 1]!)) end--;
  return tokens.slice(start, end).map((token, i, kept) => {
    if (token.type !== 'text') return token;
    const text = i === 0 ? token.text.trimStart() : token.text;
    return { ...token, text: i === kept.length - 1 ? text.trimEnd() : text };
  });
}

function isIdle(token: MessageToken): boolean {
  return isBreak(token) || (token.type === 'text' && token.text.trim() === '');
}
