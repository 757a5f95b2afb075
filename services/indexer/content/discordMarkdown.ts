import { Marked, type RendererExtension, type Token, type TokenizerExtension } from 'marked';
import { renderers, type Renderers } from './renderers.js';
import { parseMessage } from './syntax/parseMessage.js';

const message: TokenizerExtension = {
  name: 'message',
  level: 'block',
  // marked's parser and the renderers read only such properties of the inner tokens as MessageToken declares.
  tokenizer: (src) => ({
    type: 'message',
    raw: src,
    tokens: parseMessage(src) as unknown as Token[],
  }),
};

const wholeMessage: RendererExtension = {
  name: 'message',
  renderer(token) {
    return this.parser.parse(token.tokens ?? []);
  },
};

/**
 * marked with Discord's syntax in place of CommonMark's: one tokenizer takes the whole message, and marked renders its
 * tokens. Names and links must be resolved between lexer and parser.
 */
export const discordMarkdown = new Marked({
  extensions: [message, wholeMessage, ...Object.entries(renderers).map(toExtension)],
});

function toExtension([name, render]: [string, Renderers[keyof Renderers]]): RendererExtension {
  const call = render as (token: unknown, inner: string) => string;
  return {
    name,
    renderer(token) {
      const inner = token.tokens ? this.parser.parseInline(token.tokens) : '';
      return call(token, inner);
    },
  };
}
