import type { Random } from '../../../faults/random.js';

const NOUNS = [
  'index',
  'cluster',
  'queue',
  'import',
  'cache',
  'query',
  'replica',
  'token',
  'bucket',
];
const VERBS = ['stops', 'restarts', 'hangs', 'answers', 'grows', 'fails', 'repeats', 'disappears'];
const ENDINGS = ['after an update', 'at night', 'on my laptop', 'since Monday', 'in production'];
const NAMES = [
  'ada',
  'bo',
  'chidi',
  'dana',
  'emre',
  'fenna',
  'goran',
  'hye',
  'inés',
  'jürgen',
  'kim',
];

/** The title of a question. */
export function aTitle(random: Random): string {
  const sentence = `The ${random.pick(NOUNS)} ${random.pick(VERBS)} ${random.pick(ENDINGS)}`;
  return random.chance(0.1) ? `${sentence} 🤔 <b>why?</b>` : sentence;
}

/** Some sentences in the platform's markdown. */
export function aText(random: Random): string {
  const sentences = Array.from({ length: 1 + random.below(3) }, () =>
    random.pick([
      `Have you tried to restart the **${random.pick(NOUNS)}**?`,
      `My ${random.pick(NOUNS)} ${random.pick(VERBS)} ${random.pick(ENDINGS)}.`,
      `See <https://docs.example.com/${random.pick(NOUNS)}> and \`${random.pick(NOUNS)}.yml\`.`,
      `\`\`\`js\nawait ${random.pick(NOUNS)}.close();\n\`\`\``,
      `> It ${random.pick(VERBS)} ${random.pick(ENDINGS)}\nThe same here, ||sadly||`,
      `<t:1760000000:R> it still worked <:sad:310000000000000001>`,
    ]),
  );
  return sentences.join('\n');
}

/** An account name with a number, so that no two are the same. */
export function aName(random: Random, number: number): string {
  return `${random.pick(NAMES)}.${number}`;
}
