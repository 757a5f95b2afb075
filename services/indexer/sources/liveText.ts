import type {
  LiveComponent,
  LiveMessage,
  LiveSnapshot,
} from '../../../shared/discordApi/answerTypes.js';
import { escapeMarkdown } from '../content/escapeMarkdown.js';
import { asOnePart, PART_BREAK } from '../content/partBreak.js';
import { prepareText } from '../content/prepareText.js';
import { findCodeSpans } from '../content/syntax/findCodeSpans.js';
import { outsidePlaces } from '../content/syntax/outsidePlaces.js';

const TEXT_DISPLAY = 10;
const ESCAPE_OR_BARS = /\\[^]|(?:\|\|)+/g;

/**
 * What a message says in words: its content, the texts of its components, and its poll's question and answers. At most
 * one of these is told, except that a poll may have a content, too. PART_BREAK stands between the texts, because the
 * platform reads the markdown of each text by itself.
 */
export function liveText(message: LiveSnapshot & Pick<LiveMessage, 'poll'>): string {
  const parts = [
    message.content ?? '',
    ...(message.components ?? []).flatMap((component) => textsOf(component)),
    message.poll ? pollText(message.poll) : '',
  ];
  return parts
    .filter((part) => part !== '')
    .map(asOnePart)
    .join(PART_BREAK);
}

/** The texts of a component and of the components inside it. Where a component is hidden, each of its texts is. */
function textsOf(component: LiveComponent, isInHidden = false): string[] {
  const { type, content, spoiler, components = [], accessory } = component;
  const isHidden = isInHidden || spoiler === true;
  const inside = [...components, ...(accessory ? [accessory] : [])];
  return [
    ...(type === TEXT_DISPLAY && content ? [isHidden ? hidden(content) : content] : []),
    ...inside.flatMap((one) => textsOf(one, isHidden)),
  ];
}

/**
 * Makes one spoiler of a text. A spoiler ends at the next `||`. So each `||` in the text is removed, except in code, where
 * it is no mark. A backslash at the end would escape the closing mark, so a space is put behind it. Characters that are
 * not shown go first: without them, two bars may come to stand side by side.
 */
function hidden(text: string): string {
  const shown = prepareText(text);
  const code = [...findCodeSpans(shown)].map(([from, { end }]) => ({ from, to: end }));
  const plain = outsidePlaces(shown, code, (piece, from) =>
    piece.replace(ESCAPE_OR_BARS, (found, at: number) => withoutBars(found, shown, from + at)),
  );
  return `||${plain.replace(/\\$/, '\\ ')}||`;
}

/**
 * Returns what takes the place of an escape or of bars in a hidden text. `at` is the offset of `found` in the text.
 *
 * - An escape stays as it is. An escaped bar and the bar behind it are no pair. If both were removed, the backslash would
 *   escape what comes next.
 * - Bars go. But between two backticks, a space takes their place. Otherwise the two would become one longer run of
 *   backticks. Code that one of them opens or closes would then be ordinary text, and bars in it would end the spoiler.
 */
function withoutBars(found: string, text: string, at: number): string {
  if (found.startsWith('\\')) return found;
  return text[at - 1] === '`' && text[at + found.length] === '`' ? ' ' : '';
}

/** The platform shows the texts of a poll as they are, without their marks. So these are escaped. */
function pollText({ question, answers, results }: NonNullable<LiveMessage['poll']>): string {
  const votes = new Map(results?.answer_counts.map(({ id, count }) => [id, count]));
  const lines = answers.map(({ answer_id: answerId, poll_media: { text, emoji } }) => {
    const sign = emoji?.id ? `<:${emoji.name ?? 'emoji'}:${emoji.id}>` : emoji?.name;
    const said = [sign, escapeMarkdown(text ?? '')].filter(Boolean).join(' ');
    return `- ${said}${results ? ` (${votes.get(answerId) ?? 0})` : ''}`;
  });
  return [`**${escapeMarkdown(question.text ?? '')}**`, ...lines].join('\n');
}
