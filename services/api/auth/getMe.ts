import type { CurrentUser } from '../../../shared/contract/auth.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Caller } from '../caller.js';
import type { Handler } from '../http/route.js';

type Store = Pick<Collections, 'refreshTokens' | 'members'>;

/**
 * GET /api/me: the caller's account. For a platform token, it is what the platform answered, at most a minute ago. For
 * a service token, it is what the platform answered at the last login.
 */
export function getMe(store: Store): Handler<unknown, unknown> {
  // There is a caller, because the gate has refused all other requests.
  return async ({ caller }) => jsonAnswer(await describe(store, caller!));
}

async function describe(store: Store, { id, scopes, profile }: Caller): Promise<CurrentUser> {
  if (profile) return profile;
  const account = await findAccount(store, id);
  const { username = null, avatar = null } = account ?? {};
  return { id, username, avatar, scope: [...scopes] };
}

/** The account at the last login. Where the user never logged in, the account that wrote messages under this id. */
async function findAccount({ refreshTokens, members }: Store, userId: string) {
  const newest = { sort: { createdAt: -1 } } as const;
  return (await refreshTokens.findOne({ userId }, newest)) ?? (await members.findOne({ userId }));
}
