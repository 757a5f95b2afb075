const UNSAFE = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

/** A text from outside, safe for a terminal: control characters, and characters that reorder text, are escaped. */
export function safeText(text: string): string {
  return text.replace(
    UNSAFE,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`,
  );
}
