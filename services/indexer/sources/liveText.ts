import type {
  LiveComponent,
  LiveMessage,
  LiveSnapshot,
} from '../../../shared/discordApi/answerTypes.js';
import { escapeMarkdown } from '../content/escapeMarkdown.js';
import { asOnePart, PART_BREAK } from '../content/partBreak.js';
import { prepareText } from '../content/prepareText.js';

const TEXT_DISPLAY = 10;
const ZERO_WIDTH_SPACE = '\u200b';

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
 * Makes one spoiler of a text. A spoiler ends at the next `||`, even in code. So a character that is not shown keeps the
 * bars of the text apart. Other characters that are not shown go first: without them, two bars may come to stand side by
 * side.
 */
function hidden(text: string): string {
  return `||${prepareText(text).replace(/\|(?=\|)/g, `|${ZERO_WIDTH_SPACE}`)}||`;
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
