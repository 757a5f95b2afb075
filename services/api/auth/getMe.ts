import type { CurrentUser } from '../../../shared/contract/auth.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Caller } from '../caller.js';
import type { Handler } from '../http/route.js';
import { timeLimit } from '../timeLimit.js';

type Store = Pick<Collections, 'refreshTokens' | 'members'>;

/** GET /api/me: for a platform token, what the platform says now; for a service token, what it said at the login. */
export function getMe(store: Store): Handler<unknown, unknown> {
  // The gate lets nobody pass here who has no credential.
  return async ({ caller }) => jsonAnswer(await describe(store, caller!));
}

async function describe(store: Store, { id, scopes, profile }: Caller): Promise<CurrentUser> {
  if (profile) return profile;
  const account = await findAccount(store, id);
  const { username = null, avatar = null } = account ?? {};
  return { id, username, avatar, scope: [...scopes] };
}

/** Who logged in. For a token that was not made by a login: who wrote by that id. */
async function findAccount({ refreshTokens, members }: Store, userId: string) {
  const newest = { ...timeLimit(), sort: { createdAt: -1 } } as const;
  return (
    (await refreshTokens.findOne({ userId }, newest)) ??
    (await members.findOne({ userId }, timeLimit()))
  );
}
