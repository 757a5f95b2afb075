import type { CodeSpan } from './findCodeSpans.js';

/** A piece of a parsed message; names follow marked's where marked has such a token. */
export type MessageToken =
  | { type: 'text'; text: string }
  | { type: 'strong' | 'em' | 'del' | 'underline' | 'spoiler'; tokens: MessageToken[] }
  | { type: 'br' | 'blank' }
  | CodeToken
  | { type: 'heading'; depth: number; tokens: MessageToken[] }
  | { type: 'subtext' | 'blockquote' | 'paragraph' | 'list_item'; tokens: MessageToken[] }
  | { type: 'list'; ordered: boolean; start: number; tokens: MessageToken[] }
  | LinkToken
  | MentionToken
  | EmojiToken
  | { type: 'unicodeEmoji'; text: string }
  | TimestampToken;

/** Where a token stands in the message: from an offset up to another. */
export interface Place {
  from: number;
  to: number;
}

/** An archived thread or channel that a mention or a link leads to. */
export interface Target {
  kind: 'thread' | 'channel';
  id: string;
  name: string;
  messageId: string | undefined;
}

/** A link; `bare` when the message shows the address itself. */
export interface LinkToken {
  type: 'link';
  href: string;
  title: string;
  bare: boolean;
  tokens: MessageToken[];
  target?: Target | undefined;
}

/** Inline code, or a block of code. */
export type CodeToken = Place &
  ({ type: 'codespan'; text: string } | { type: 'code'; text: string; lang: string });

/** A mention; `name` is what the message itself holds (a command, a server page), else ''. */
export interface MentionToken extends Place {
  type: 'mention';
  kind: 'user' | 'role' | 'channel' | 'command' | 'page';
  id: string;
  name: string;
  inLink: boolean;
  /** The text to show, once resolved. */
  shown?: string;
  /** Where it leads outside this archive. */
  href?: string | undefined;
  target?: Target | undefined;
}

/** A custom emoji. */
export interface EmojiToken extends Place {
  type: 'emoji';
  name: string;
  id: string;
  animated: boolean;
  jumbo: boolean;
}

/** A time, and how it is shown. */
export interface TimestampToken extends Place {
  type: 'timestamp';
  iso: string;
  style: string;
  text: string;
}

/** What surrounds a piece of text in a message. The parser reads from it which syntax has a meaning in that piece. */
export interface Nesting {
  depth: number;
  inLink: boolean;
  inQuote: boolean;
  inList: boolean;
  /** Whether the first character counts as the start of a line. */
  lineStart: boolean;
}

/** One text being scanned, and what a rule may ask of it. */
export interface Scan {
  readonly text: string;
  /** The code in the text that is not parsed yet, by offset. */
  readonly code: ReadonlyMap<number, CodeSpan>;
  readonly nesting: Nesting;
  /** The offset in the message of an offset in this text. */
  origin(at: number): number;
  /** Parses a part of this text, one level deeper. Parts that are given as several lines are parsed as one text. */
  nested(parts: Place | readonly Place[], change?: Partial<Nesting>): MessageToken[];
  /**
   * Says that the text between two offsets is parsed. What began in it as code, but would end behind it, was no code:
   * no code reaches from a heading, an item of a list or an address into the text behind. So code is looked for once more.
   */
  passed(from: number, to: number): void;
  /** Takes steps from the budget of all searches of this part of the message; false once it is spent. */
  afford(steps: number): boolean;
}

/** What a rule found: tokens for the text up to `end`. */
export interface Match {
  tokens: MessageToken[];
  end: number;
}

/** Tries one construct at an offset; undefined when it is not there. */
export type Rule = (scan: Scan, at: number) => Match | undefined;

const BLOCKS = new Set(['code', 'heading', 'subtext', 'blockquote', 'list', 'paragraph']);

/** Whether a token stands on lines of its own. */
export function isBlock(token: MessageToken | undefined): boolean {
  return token !== undefined && BLOCKS.has(token.type);
}

/** Whether a token is a line break or a blank line. */
export function isBreak(token: MessageToken | undefined): boolean {
  return token?.type === 'br' || token?.type === 'blank';
}

/** Calls `visit` for each token, those inside others after the one that holds them. */
export function walkTokens(
  tokens: readonly MessageToken[],
  visit: (token: MessageToken) => void,
): void {
  for (const token of tokens) {
    visit(token);
    if ('tokens' in token) walkTokens(token.tokens, visit);
  }
}
