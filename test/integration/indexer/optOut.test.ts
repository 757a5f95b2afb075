import { expect } from 'chai';
import type { UserProfile } from '../../../shared/contract/users.js';
import type { ServerStats } from '../../../shared/contract/servers.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { stateOf } from '../../../shared/store/state.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { syncState } from '../../../shared/store/syncState.js';
import { erasureIdOf, requestErasure } from '../../../shared/store/erasures.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { until, untilEqual } from '../../support/apiServer.js';
import type { Guild, Role, Thread } from '../../support/discord/model/entities.js';
import { everyTrace } from '../../support/everyTrace.js';
import { readBody } from '../../support/readBody.js';
import {
  doTheRest,
  syncAgain,
  syncSuite,
  untilListening,
  untilSynced,
} from '../../support/syncRig.js';
import { verifyNow } from '../../support/verifiedArchive.js';

const SECRET = 'The marmalade is behind the clock';

/** What may still name somebody who is left out: records, and what the sync knows. Nobody reads them over HTTP. */
const RECORDS = ['messages', 'threads', 'optOuts', 'sync'];

describe('members who opt out', () => {
  const rig = syncSuite();
  const { stores, deps } = rig;
  let guild: Guild;
  let role: Role;
  let thread: Thread;
  let userId: string;

  function carry(...roleIds: string[]) {
    rig.discord.model.updateMember(guild.id, userId, { roleIds });
  }
  function start(optOutEntries = ['no archive'], listens = false) {
    rig.start({ optOutEntries, memberEveryMs: 20, listens });
  }
  /** Makes everybody's recorded roles old. */
  async function age() {
    const longAgo = new Date(Date.now() - 7_200_000);
    await deps.collections.sync.updateMany({ kind: 'member' }, { $set: { checkedAt: longAgo } });
  }
  async function rest() {
    await doTheRest(deps);
    await stores.refreshSearch();
    await doTheRest(deps);
  }
  async function shown() {
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${thread.id}`);
    return JSON.stringify(body);
  }
  async function found() {
    const { hits } = await deps.elasticsearch.search({
      index: searchAlias(deps.namespace),
      query: { query_string: { query: 'marmalade' } },
    });
    return hits.hits.length;
  }
  /** The collections, and which of search index and Redis, that name the person, their id or what they said. */
  async function namedBy() {
    const traces = new RegExp(`${userId}|rosalind|${SECRET}`, 'i');
    const texts = (await everyTrace(stores)).filter((text) => traces.test(text));
    return [...new Set(texts.map((text) => text.split(' ', 1)[0]))];
  }
  async function untilOut(isOut: boolean) {
    await untilEqual(() => deps.collections.optOuts.countDocuments(), isOut ? 1 : 0);
    await rest();
  }

  beforeEach(async () => {
    await rig.open({ history: { forums: 1, threads: 1, messages: 4 } });
    const { model } = rig.discord;
    const [place] = model.publicThreads();
    ({ guild } = place!);
    const ownerId = model.createUser({ username: 'edmund' }).id;
    model.addMember(guild.id, ownerId);
    const begin = (name: string) =>
      model.createThread(place!.channel.id, { name, ownerId, starter: { content: 'Where?' } });
    thread = begin('The jam');
    const other = begin('Another');
    role = model.createRole(guild.id, { name: 'No Archive' });
    userId = model.createUser({ username: 'rosalind' }).id;
    model.addMember(guild.id, userId);
    const said = model.post(thread.id, { authorId: userId, content: SECRET });
    model.forward(said, other.id, ownerId);
    model.createThread(thread.parentId, {
      name: 'Breakfast',
      ownerId: userId,
      starter: { content: SECRET },
    });
  });

  it('are removed from every read once they take the role, and come back when they give it up', async () => {
    start();
    await untilSynced(deps);
    await rest();
    expect(await shown()).to.contain(SECRET);
    expect(await found()).to.be.above(2);
    const stats = async () => {
      const body = await readBody<ServerStats>(deps.collections, `stats/${guild.id}`);
      return body!.stats;
    };
    const before = await stats();
    const profile = () => readBody<UserProfile>(deps.collections, `user/${userId}`);
    expect(await profile()).to.include({ messageCount: 2 });

    carry(role.id);
    await age();
    await untilOut(true);
    expect((await syncState(deps.collections))?.optedOut).to.equal(1);
    expect(await found()).to.equal(0);
    expect(await deps.collections.bodies.distinct('_id')).not.to.be.empty;
    expect(await namedBy()).to.have.members(RECORDS);
    expect(await profile()).to.equal(null);
    expect((await stats()).threads.total).to.equal(before.threads.total - 1);
    expect((await stats()).participants.unique).to.equal(before.participants.unique - 1);
    expect((await verifyNow(deps)).differences).to.deep.equal([]);

    carry();
    await age();
    await untilOut(false);
    expect(await shown()).to.contain(SECRET);
    expect(await found()).to.be.above(2);
    expect(await stats()).to.deep.equal(before);
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });

  it('are not named as users of a command, even if they wrote nothing', async () => {
    const { model } = rig.discord;
    const [other] = model.publicThreads().filter((one) => one.thread.name === 'Another');
    const answered = other!.thread.id;
    const command = { id: '123456789012345678', name: 'jam', userId };
    model.post(answered, { authorId: model.bot.id, type: 20, content: 'Here', command });
    const shownThere = async () =>
      JSON.stringify(await readBody<ThreadDetail>(deps.collections, `thread/${answered}`));
    start();
    await untilSynced(deps);
    await rest();
    expect(await shownThere()).to.contain('rosalind');
    carry(role.id);
    await age();
    await untilOut(true);
    expect(await shownThere())
      .to.contain('Here')
      .and.not.contain('rosalind');
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
    carry();
    await age();
    await untilOut(false);
    expect(await shownThere()).to.contain('rosalind');
  });

  it('are not shown at all where they had the role before the first sync', async () => {
    carry(role.id);
    start([role.id]);
    await untilSynced(deps);
    await rest();
    expect(await shown()).not.to.contain(SECRET);
    expect(await found()).to.equal(0);
    expect(await deps.collections.optOuts.distinct('_id')).to.deep.equal([`${guild.id}/${userId}`]);
  });

  it('are found among authors who were archived before the role was configured', async () => {
    carry(role.id);
    start([]);
    await untilSynced(deps);
    await rest();
    expect(await found()).to.be.above(2);
    await rig.sync.stop();
    start();
    await untilOut(true);
    expect(await found()).to.equal(0);
  });

  it('stay left out when they leave the server, and when the role is deleted', async () => {
    carry(role.id);
    start();
    await untilSynced(deps);
    rig.discord.model.removeMember(guild.id, userId);
    const asked = () => rig.discord.requests.filter(({ path }) => path.endsWith(userId)).length;
    const before = asked();
    await age();
    await untilEqual(() => asked() > before, true);
    rig.discord.model.deleteRole(guild.id, role.id);
    await syncAgain(deps);
    await untilOut(true);
    expect(await shown()).not.to.contain(SECRET);
  });

  it('stay left out when their role is deleted, but another opt-out role is left', async () => {
    const other = rig.discord.model.createRole(guild.id, { name: 'silent' });
    carry(role.id);
    start(['no archive', 'silent'], true);
    await untilListening(deps, rig.discord);
    await untilSynced(deps);
    await untilOut(true);
    const toldAt = async () =>
      (await syncOf(deps.collections.sync, 'member').findOne({ kind: 'member', userId }))?.asOf;
    const before = await toldAt();
    rig.discord.model.deleteRole(guild.id, role.id);
    await untilEqual(async () => (await toldAt()) !== before, true);
    await untilOut(true);
    // They take off a role themselves.
    const { optOuts } = deps.collections;
    carry(other.id);
    rig.discord.model.post(thread.id, { authorId: userId, content: 'With the other role' });
    await untilEqual(async () => (await optOuts.findOne())?.roleIds?.[0], other.id);
    carry();
    await age();
    await untilOut(false);
  });

  it('stay left out when their role is deleted, and their roles are asked for before the server is', async () => {
    carry(role.id);
    start();
    await untilSynced(deps);
    await untilOut(true);
    rig.discord.model.deleteRole(guild.id, role.id);
    const asked = () => rig.discord.requests.filter(({ path }) => path.endsWith(userId)).length;
    const before = asked();
    await age();
    await untilEqual(() => asked() > before, true);
    await syncAgain(deps);
    await rest();
    expect(await deps.collections.optOuts.countDocuments()).to.equal(1);
    expect(await shown()).not.to.contain(SECRET);
  });

  it('stay left out when old events come again', async () => {
    start(['no archive'], true);
    await untilListening(deps, rig.discord);
    await untilSynced(deps);
    const states = deps.collections.state;
    const session = async () =>
      (await stateOf(states, 'gateway').findOne({ _id: 'gateway' }))!.session!;
    const { seq } = await session();
    rig.discord.model.updateMember(guild.id, userId, { nick: 'Rosa' });
    rig.discord.model.post(thread.id, { authorId: userId, content: 'Before' });
    carry(role.id);
    rig.discord.model.post(thread.id, { authorId: userId, content: 'After' });
    const choices = async () =>
      (await stateOf(states, 'optOuts').findOne({ _id: 'optOuts' }))?.version;
    await untilEqual(async () => (await session()).seq, seq + 4);
    expect(await choices()).to.equal(1);
    await rig.sync.stop();
    const back = { $set: { 'session.seq': seq } };
    await stateOf(states, 'gateway').updateOne({ _id: 'gateway' }, back);
    start(['no archive'], true);
    await untilEqual(async () => (await session()).seq, seq + 5);
    expect(await choices()).to.equal(1);
    carry();
    await untilOut(false);
  });

  it('are left out at once when they join again with the role', async () => {
    start(['no archive'], true);
    await untilListening(deps, rig.discord);
    await untilSynced(deps);
    const { model } = rig.discord;
    model.removeMember(guild.id, userId);
    model.addMember(guild.id, userId, { roleIds: [role.id] });
    await untilOut(true);
    expect(await shown()).not.to.contain(SECRET);
  });

  it('are asked for once more when a session has begun', async () => {
    start(['no archive'], true);
    await untilListening(deps, rig.discord);
    await untilSynced(deps);
    await rig.sync.stop();
    rig.discord.gateway.forgetSessions();
    carry(role.id);
    start(['no archive'], true);
    await untilOut(true);
  });

  it('may be the bot itself', async () => {
    start(['no archive'], true);
    await untilListening(deps, rig.discord);
    const { bot } = rig.discord.model;
    const { roleIds } = guild.members.get(bot.id)!;
    rig.discord.model.updateMember(guild.id, bot.id, { roleIds: [...roleIds, role.id] });
    await untilOut(true);
  });

  it('leave no id behind when they are erased', async () => {
    carry(role.id);
    start();
    await untilSynced(deps);
    await untilOut(true);
    await requestErasure(deps.collections, userId);
    const erasureId = await erasureIdOf(deps.collections, userId);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await syncAgain(deps);
    await rest();
    const traces = (await everyTrace(stores)).filter((text) => text.includes(userId));
    expect(traces).to.deep.equal([]);
  });

  it('leave no id behind when they are erased while their roles are asked for', async () => {
    start();
    await untilSynced(deps);
    await rest();
    const asked = (which: string) =>
      rig.discord.requests.filter(({ route, path }) => route === 'member' && path.includes(which))
        .length;
    const before = asked(userId);
    rig.discord.faults.next('held', { route: 'member', times: Infinity });
    const old = { $set: { checkedAt: new Date(1) } };
    await deps.collections.sync.updateMany({ kind: 'member', userId }, old);
    await until(() => asked(userId) > before);
    await requestErasure(deps.collections, userId);
    const erasureId = await erasureIdOf(deps.collections, userId);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    // Members are asked for one after the other. So once another one is asked for, the answer about the first is
    // processed.
    await age();
    const all = asked('');
    rig.discord.faults.clear();
    await until(() => asked('') > all);
    const traces = (await everyTrace(stores)).filter((text) => text.includes(userId));
    expect(traces).to.deep.equal([]);
  });
});
