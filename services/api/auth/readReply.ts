import type Joi from 'joi';
import { platformAway, type PlatformReply } from './askPlatform.js';

/** The checked body of a reply with status 200. Throws UNAVAILABLE for any other reply. */
export function readReply<Body>(schema: Joi.Schema<Body>, { status, body }: PlatformReply): Body {
  if (status !== 200) throw platformAway(`The platform answered ${status}`);
  const checked = schema.validate(body, { convert: false });
  if (checked.error) throw platformAway('The platform answered in an unknown shape');
  return checked.value;
}
