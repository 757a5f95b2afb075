/** Where a JSON text first breaks the grammar (an offset in characters), and what the grammar expects there. */
export interface JsonFault {
  offset: number;
  expected: string;
}

const WHITESPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The first fault of a text that JSON.parse refuses; null when it is valid after all. */
export function findJsonFault(text: string): JsonFault | null {
  const reader = new FaultReader(text);
  return reader.value() ?? reader.end();
}

/** Reads a text by the grammar, and builds no values. Each method returns the fault that it met, or null. */
class FaultReader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(): JsonFault | null {
    this.#match(WHITESPACE);
    const first = this.#text[this.#at];
    if (first === '{') return this.#list('}', () => this.#member());
    if (first === '[') return this.#list(']', () => this.value());
    if (first === '"') return this.#string();
    return this.#match(SCALAR) ? null : this.#fault('a value');
  }

  end(): JsonFault | null {
    this.#match(WHITESPACE);
    return this.#at < this.#text.length ? this.#fault('the end of the value') : null;
  }

  #list(close: string, item: () => JsonFault | null): JsonFault | null {
    this.#at += 1;
    this.#match(WHITESPACE);
    if (this.#take(close)) return null;
    for (;;) {
      const fault = item();
      if (fault) return fault;
      this.#match(WHITESPACE);
      if (this.#take(close)) return null;
      if (!this.#take(',')) return this.#fault(`"," or "${close}"`);
    }
  }

  #member(): JsonFault | null {
    this.#match(WHITESPACE);
    if (this.#text[this.#at] !== '"') return this.#fault('a key in double quotes');
    const fault = this.#string();
    if (fault) return fault;
    this.#match(WHITESPACE);
    return this.#take(':') ? this.value() : this.#fault('":"');
  }

  #string(): JsonFault | null {
    this.#at += 1;
    do this.#match(PLAIN);
    while (this.#match(ESCAPE));
    return this.#take('"') ? null : this.#fault('a valid character or the end of the text');
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found !== undefined;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #fault(expected: string): JsonFault {
    return { offset: this.#at, expected };
  }
}
