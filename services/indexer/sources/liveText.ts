import type {
  LiveComponent,
  LiveMessage,
  LiveSnapshot,
} from '../../../shared/discordApi/answerTypes.js';
import { findCodeSpans } from '../content/syntax/findCodeSpans.js';

const TEXT_DISPLAY = 10;
const ESCAPE_OR_BACKTICK = /\\[^0-9A-Za-z\s]|`/g;
const ESCAPE_OR_BARS = /\\[^]|\|\|/g;

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
    ...(type === TEXT_DISPLAY && content ? [closed(content)] : []),
    ...components.flatMap(textsOf),
    ...(accessory ? textsOf(accessory) : []),
  ];
  return spoiler && texts.length > 0 ? [hidden(texts.join('\n'))] : texts;
}

/**
 * The platform reads the text of each component by itself. This archive joins the texts and reads them together. So a
 * mark that one component opens could be closed by a mark of a later one, such as the bars that hide it. To prevent that,
 * backticks and bars that have no partner in their own component are escaped.
 */
function closed(text: string): string {
  const escaped = outsideCode(text, (plain) => plain.replace(ESCAPE_OR_BACKTICK, escapeBacktick));
  const code = findCodeSpans(escaped);
  const marks = /\\[^]|`|\|{2,}/g;
  let open = -1;
  for (let found = marks.exec(escaped); found; found = marks.exec(escaped)) {
    const { index, 0: mark } = found;
    const end = index + mark.length;
    marks.lastIndex = code.get(index)?.end ?? end;
    if (!mark.startsWith('|')) continue;
    // Two bars close a spoiler. Those behind them may open the next.
    const rest = open === -1 ? index : index + 2;
    open = end - rest >= 2 ? rest : -1;
  }
  if (open === -1) return escaped;
  return (
    escaped.slice(0, open) +
    escaped.slice(open).replace(/^\|+/, (bars) => '\\|'.repeat(bars.length))
  );
}

function escapeBacktick(found: string): string {
  return found === '`' ? '\\`' : found;
}

/** Half of an escaped bar and the next one make no pair: without them, the backslash would escape what comes next. */
function withoutBars(found: string): string {
  return found === '||' ? '' : found;
}

/**
 * Makes one spoiler of a text. A spoiler ends at the next `||`. So each `||` in the text is removed, except in code, where
 * it is no mark. A backslash at the end would escape the closing mark, so a space is put behind it.
 */
function hidden(text: string): string {
  const plain = outsideCode(text, (piece) => piece.replace(ESCAPE_OR_BARS, withoutBars));
  return `||${plain.replace(/\\$/, '\\ ')}||`;
}

/** Changes the parts of a text that are no code. */
function outsideCode(text: string, change: (piece: string) => string): string {
  let changed = '';
  let from = 0;
  for (const [at, { end }] of findCodeSpans(text)) {
    changed += change(text.slice(from, at)) + text.slice(at, end);
    from = end;
  }
  return changed + change(text.slice(from));
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
