import type { CurrentUser } from '../../../shared/contract/auth.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Caller } from '../caller.js';
import type { Handler } from '../http/route.js';

type Store = Pick<Collections, 'refreshTokens' | 'members'>;

/**
 * GET /api/me. For a platform token, it answers what the platform says now. For a service token, it answers what the
 * platform said at the login.
 */
export function getMe(store: Store): Handler<unknown, unknown> {
  // Without a credential, the gate has refused the request.
  return async ({ caller }) => jsonAnswer(await describe(store, caller!));
}

async function describe(store: Store, { id, scopes, profile }: Caller): Promise<CurrentUser> {
  if (profile) return profile;
  const account = await findAccount(store, id);
  const { username = null, avatar = null } = account ?? {};
  return { id, username, avatar, scope: [...scopes] };
}

/** The account that logged in. For a token without a login, the account that wrote messages under that id. */
async function findAccount({ refreshTokens, members }: Store, userId: string) {
  const newest = { sort: { createdAt: -1 } } as const;
  return (await refreshTokens.findOne({ userId }, newest)) ?? (await members.findOne({ userId }));
}
