import type {
  LiveComponent,
  LiveMessage,
  LiveSnapshot,
} from '../../../shared/discordApi/answerTypes.js';
import { findCodeSpans } from '../content/syntax/findCodeSpans.js';

const TEXT_DISPLAY = 10;

/**
 * What a message says in words: its content, the texts of its components, and its poll's question and answers. At most
 * one of these is told, but for a poll with a content of its own.
 */
export function liveText(message: LiveSnapshot & Pick<LiveMessage, 'poll'>): string {
  const parts = [
    message.content ?? '',
    ...(message.components ?? []).flatMap(textsOf),
    message.poll ? pollText(message.poll) : '',
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function textsOf({ type, content, spoiler, components = [], accessory }: LiveComponent): string[] {
  const texts = [
    ...(type === TEXT_DISPLAY && content ? [content] : []),
    ...components.flatMap(textsOf),
    ...(accessory ? textsOf(accessory) : []),
  ];
  return spoiler && texts.length > 0 ? [hidden(texts.join('\n'))] : texts;
}

/**
 * Makes one spoiler of a text. A spoiler ends at the next `||`. So each `||` in the text is removed, except in code, where
 * it is no mark. A backslash at the end would escape the closing mark, so a space is put behind it.
 */
function hidden(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const [at, { end }] of findCodeSpans(text)) {
    pieces.push(text.slice(from, at).replaceAll('||', ''), text.slice(at, end));
    from = end;
  }
  pieces.push(text.slice(from).replaceAll('||', ''));
  return `||${pieces.join('').replace(/\\$/, '\\ ')}||`;
}

function pollText({ question, answers, results }: NonNullable<LiveMessage['poll']>): string {
  const votes = new Map(results?.answer_counts.map(({ id, count }) => [id, count]));
  const lines = answers.map(({ answer_id: answerId, poll_media: { text, emoji } }) => {
    const sign = emoji?.id ? `<:${emoji.name ?? 'emoji'}:${emoji.id}>` : emoji?.name;
    const said = [sign, text].filter(Boolean).join(' ');
    return `- ${said}${results ? ` (${votes.get(answerId) ?? 0})` : ''}`;
  });
  return [`**${question.text ?? ''}**`, ...lines].join('\n');
}
