import type Joi from 'joi';
import { Blocked, PlatformAway, type PlatformReply } from './askPlatform.js';

/**
 * The checked body of a reply with status 200. Throws Blocked for 401 and 403, and PlatformAway for any other reply.
 */
export function readReply<Body>(schema: Joi.Schema<Body>, { status, body }: PlatformReply): Body {
  const told = `The platform answered ${status}`;
  if (status === 401 || status === 403) throw new Blocked(told);
  if (status !== 200) throw new PlatformAway(told);
  const checked = schema.validate(body, { convert: false });
  if (checked.error) throw new PlatformAway('The platform answered in an unknown shape');
  return checked.value;
}
