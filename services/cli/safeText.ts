const UNSAFE = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

/** A text from outside, safe for a terminal: control characters, and characters that reorder text, are escaped. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (sign) => `\\u{${hex(sign.codePointAt(0) ?? 0)}}`);
}

/** A value as indented JSON, in which the same characters are escaped as JSON does it. */
export function safeJson(value: object): string {
  return JSON.stringify(value, null, 2).replace(UNSAFE, (sign) =>
    sign === '\n' ? sign : sign.replace(/[^]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`),
  );
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
