const PIECES = [
  '*',
  '**',
  '***',
  '_',
  '__',
  '~~',
  '~',
  '||',
  '|',
  '`',
  '``',
  '```',
  '```js\n',
  '\\',
  '\n',
  '\n\n',
  '\n- ',
  '\n  - ',
  '\n1. ',
  '\n> ',
  '\n>>> ',
  '\n# ',
  '\n-# ',
  '- ',
  '> ',
  '# ',
  '[',
  ']',
  '(',
  ')',
  '](',
  '[a](https://x.org)',
  '[a](<https://x.org>)',
  'https://x.org/a',
  '<',
  '>',
  '<@1>',
  '<@&1>',
  '<#1>',
  '<#2>',
  '<:e:1>',
  '<a:e:1>',
  '<t:1:R>',
  '</c:1>',
  '&',
  '"',
  "'",
  '<script>',
  '</p>',
  '<img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  'a',
  'word',
  ' ',
  '  ',
  '\t',
  '\u0000',
  '\ud83d',
  '😀',
  '\u202e',
  '=',
  '1',
  '&lt;',
  '<https://x.org>',
  'https://discord.com/channels/1/1/5',
  'snake_case',
  '¯\\_(ツ)_/¯',
  '```diff\n- a\n```',
  '\n- ```\n   a\n  ```',
];

/** Random numbers from 0 to below 1. The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Content that consists of random markers of every kind. */
export function hostileContent(random: () => number): string {
  const length = 1 + Math.floor(random() * 60);
  return Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)]!).join('');
}

/** For every pair of markers, content of the greatest allowed length that repeats one unit. */
export function* repetitions(length: number): Generator<string> {
  for (const first of PIECES) {
    yield first.repeat(Math.floor(length / first.length));
    for (const second of PIECES.slice(0, 9)) {
      const unit = `${first}${second}x `;
      yield unit.repeat(Math.floor(length / unit.length));
    }
  }
}
