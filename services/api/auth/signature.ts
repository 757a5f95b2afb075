import { createHmac } from 'node:crypto';
import { equalTexts } from '../../../shared/platform/equalTexts.js';

/** The signature of a text (HMAC-SHA-256, base64url). It is only valid for the same purpose. */
export function sign(secret: string, purpose: string, text: string): string {
  const key = createHmac('sha256', secret).update(purpose).digest();
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Whether a signature is that of a text for a purpose. Compares in constant time. */
export function isSigned(
  secret: string,
  purpose: string,
  text: string,
  signature: string,
): boolean {
  return equalTexts(sign(secret, purpose, text), signature);
}
