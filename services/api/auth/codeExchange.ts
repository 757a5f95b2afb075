import Joi from 'joi';
import { AppError } from '../../../shared/contract/errors.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { askPlatform, type PlatformReply } from './askPlatform.js';
import type { PlatformSettings } from './platformSettings.js';
import { readReply } from './readReply.js';
import { InvalidCredential } from './refusals.js';

/** After the platform has refused the id and secret of this service, it is not asked again for so long (ms). */
const REFUSED_FOR_MS = 60_000;

const tokenReply = Joi.object<{ access_token: string }>({ access_token: Joi.string().required() })
  .unknown()
  .required();

/**
 * Makes a function that exchanges a code for an access token. It throws FORBIDDEN where the code is wrong, used or
 * expired, and UNAVAILABLE where the platform gives no usable answer. It throws NOT_CONFIGURED where the platform
 * refuses the id and secret of this service, and for a minute after that without asking the platform.
 */
export function createCodeExchange(
  settings: PlatformSettings,
  logger: Logger,
): (code: string) => Promise<string> {
  let refusedUntil = 0;
  return async (code) => {
    if (performance.now() < refusedUntil) throw refusedService();
    const reply = await askForToken(settings, code);
    if (isRefusedService(reply)) {
      refusedUntil = performance.now() + REFUSED_FOR_MS;
      logger.error(
        { status: reply.status },
        'Nobody can log in: the platform refuses DISCORD_CLIENT_ID with DISCORD_CLIENT_SECRET',
      );
      throw refusedService();
    }
    // A proxy in front of the platform may answer 400 as well, but not in JSON.
    if (reply.status === 400 && reply.body !== undefined) {
      throw new InvalidCredential('FORBIDDEN', 'The code is not valid');
    }
    return readReply(tokenReply, reply).access_token;
  };
}

function askForToken(settings: PlatformSettings, code: string): Promise<PlatformReply> {
  const form = new URLSearchParams({
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
    grant_type: 'authorization_code',
    code,
    redirect_uri: settings.redirectUri,
  });
  return askPlatform(`${settings.apiUrl}/oauth2/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
}

/**
 * Whether the platform refused the id and secret of this service. Then OAuth2 demands the error `invalid_client`, with
 * status 401 or 400. A refusal without it may come from a proxy in front of the platform.
 */
function isRefusedService({ body }: PlatformReply): boolean {
  return (body as { error?: unknown } | null | undefined)?.error === 'invalid_client';
}

function refusedService(): AppError {
  return new AppError(
    'NOT_CONFIGURED',
    'The chat platform does not accept the client id and secret of this service; its operator must correct them',
  );
}
