import { createHmac } from 'node:crypto';
import { equalTexts } from '../../../shared/platform/equalTexts.js';

/** A signature (HMAC-SHA-256, base64url) for one purpose. It is not valid for any other purpose. */
export function sign(secret: string, purpose: string, text: string): string {
  const key = createHmac('sha256', secret).update(purpose).digest();
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Whether a signature belongs to a text. The comparison takes equally long wherever the two differ. */
export function isSigned(
  secret: string,
  purpose: string,
  text: string,
  signature: string,
): boolean {
  return equalTexts(sign(secret, purpose, text), signature);
}
