const UNSAFE = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

/** Text from outside as the terminal may show it: what could steer or disorder it is written as an escape. */
export function safeText(text: string): string {
  return text.replace(
    UNSAFE,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`,
  );
}
