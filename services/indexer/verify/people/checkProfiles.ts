import type { Collections } from '../../../../shared/store/collections.js';
import { memberView, presentUser } from '../../views/memberViews.js';
import { etagOf } from '../../stores/entityTag.js';
import { compareBody, storedBodies } from '../compareBody.js';
import type { Difference } from '../difference.js';
import type { PeopleCheck, PeopleLook } from './personLook.js';

/** People's profiles, byte for byte. */
export const checkProfiles: PeopleCheck = async (look) => {
  const { deps, window, users, totals } = look;
  const serverNames = await namesOf(deps.collections);
  const texts = await profileTexts(look, serverNames);
  const found: Difference[] = [];
  const compare = async (
    userId: string,
    stored?: Parameters<typeof compareBody>[1],
  ): Promise<void> => {
    const { servers = [] } = totals.get(userId) ?? {};
    // Of a server that is not recorded, its threads tell: its name stays in what is shown.
    if (servers.some(({ serverId }) => !serverNames.has(serverId))) return;
    const text = texts.get(userId);
    const etag = text === undefined ? '' : etagOf(text);
    const must = { isShown: text !== undefined, ...(text !== undefined && { etag }) };
    const differs = await compareBody(deps.collections, stored, must);
    if (!differs || differs.problem === 'stale') return;
    const basis = `${stored?.etag} ${etag}`;
    found.push({ kind: `profile.${differs.problem}`, id: userId, detail: differs.detail, basis });
  };
  const unseen = new Set(texts.keys());
  for await (const [userId, stored] of storedBodies(deps.collections, window, 'user/')) {
    unseen.delete(userId);
    look.tally('bodies', 1);
    await compare(userId, stored);
  }
  for (const userId of unseen) await compare(userId);
  const unknown = [...totals.keys()].filter((userId) => !users.has(userId));
  return [
    ...found,
    ...unknown.map((id): Difference => {
      return { kind: 'user.missing', id, detail: 'They wrote, but are not recorded', basis: '' };
    }),
  ];
};

async function profileTexts(
  { deps, users, totals, today }: PeopleLook,
  serverNames: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const items = await itemTexts(
    deps.collections,
    [...totals.values()].flatMap((one) => one.recent),
  );
  const texts = new Map<string, string>();
  for (const [userId, { servers, recent }] of totals) {
    const user = users.get(userId);
    if (!user) continue;
    const rows = servers.map((one) => ({
      ...memberView(one, user, 0, today),
      serverName: serverNames.get(one.serverId) ?? '',
    }));
    const profile = JSON.stringify(presentUser(user, rows)).slice(0, -1);
    const shown = recent.flatMap((id) => items.get(id) || []);
    texts.set(userId, `${profile},"recentThreads":[${shown.join(',')}]}`);
  }
  return texts;
}

async function namesOf({ servers }: Collections): Promise<Map<string, string>> {
  const found = await servers.find({}, { projection: { name: 1 } }).toArray();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}

async function itemTexts(
  { threadItems }: Collections,
  threadIds: string[],
): Promise<Map<string, string>> {
  const found = await threadItems
    .find({ _id: { $in: [...new Set(threadIds)] } }, { projection: { item: 1 } })
    .toArray();
  return new Map(found.map(({ _id, item }) => [_id, item]));
}
