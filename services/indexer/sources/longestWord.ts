/**
 * Finds the longest of some words that begins at `from` in a text, and ends where `mayEnd` allows it. Returns the
 * offset of its end, or -1 where there is none.
 */
export type LongestWord = (text: string, from: number, mayEnd: (end: number) => boolean) => number;

/**
 * Makes a trie of words. A search follows the text as far as it agrees with any word, so its time does not depend on
 * how many words there are.
 */
export function longestWordOf(words: Iterable<string>): LongestWord {
  // One map for all nodes: a map for each would take many times the memory.
  const children = new Map<number, number>();
  const wordEnds = new Set<number>();
  let nodes = 1;
  for (const word of words) {
    let node = 0;
    for (let at = 0; at < word.length; at += 1) {
      const edge = edgeOf(node, word, at);
      let child = children.get(edge);
      if (child === undefined) children.set(edge, (child = nodes++));
      node = child;
    }
    wordEnds.add(node);
  }
  return (text, from, mayEnd) => {
    let longest = -1;
    let node: number | undefined = 0;
    for (let at = from; at < text.length; at += 1) {
      node = children.get(edgeOf(node, text, at));
      if (node === undefined) break;
      if (wordEnds.has(node) && mayEnd(at + 1)) longest = at + 1;
    }
    return longest;
  };
}

function edgeOf(node: number, text: string, at: number): number {
  return node * 0x1_0000 + text.charCodeAt(at);
}
