import { expect } from 'chai';
import type { ServerList } from '../../../shared/contract/servers.js';
import type { LiveChannel } from '../../../shared/discordApi/answerTypes.js';
import { PlatformAway, PlatformRefused } from '../../../shared/discordApi/platformErrors.js';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { noteRoles } from '../../../services/indexer/sync/noteRoles.js';
import { noteThreads } from '../../../services/indexer/sync/noteThreads.js';
import { removeLongWithheld } from '../../../services/indexer/sync/removeWithheld.js';
import { channelsOf, type SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { runClaimed } from '../../../services/indexer/work/runMarks.js';
import { SERVER_LIST } from '../../../shared/store/bodyKinds.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { NEVER_CHECKED, syncOf } from '../../../shared/store/syncRecords.js';
import { markId } from '../../../shared/store/work.js';
import {
  anAnsweredServer,
  answeringPlatform,
  hide,
  syncDeps,
} from '../../support/answeringPlatform.js';
import { until } from '../../support/apiServer.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { doAll, endLeases, record } from '../../support/indexerDeps.js';
import { aLiveThread } from '../../support/liveAnswers.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { verifyNow } from '../../support/verifiedArchive.js';

describe('a look at a server', () => {
  const { deps, stores } = indexerSuite('emptied');

  it('withholds a hidden forum, of which nothing more is then recorded, before it asks for the roles of the bot', async () => {
    const server = anAnsweredServer('Rust', ['help', 'news']);
    const [help] = server.channels;
    const withheld: string[][] = [];
    const kept: boolean[] = [];
    const { platform } = answeringPlatform([server], {
      async before({ route }) {
        if (route !== 'me' && route !== 'member') return;
        const isWithheld = { withheldAt: { $exists: true } };
        withheld.push(await deps.collections.channels.distinct('_id', isWithheld));
        kept.push(channelsOf(own.servers).includes(help!.id));
      },
    });
    const own = syncDeps(deps, platform);
    await loadServer(own, server.guild.id);
    hide(server, help!);
    await loadServer(own, server.guild.id);
    expect(withheld).to.deep.equal([[], [], [help!.id], [help!.id]]);
    // Threads are being fetched meanwhile.
    expect(kept.slice(2)).to.deep.equal([false, false]);
  });

  it('records the name of a custom emoji of a tag, of which the platform tells only the id', async () => {
    const server = anAnsweredServer('Rust', ['help']);
    const { guild, channels } = server;
    const emojiId = anId();
    guild.emojis = [{ id: emojiId, name: 'ferris' }];
    const bug = { id: anId(), name: 'Bug', emoji_id: emojiId, emoji_name: null };
    const old = { id: anId(), name: 'Old', emoji_id: anId(), emoji_name: null };
    channels[0]!.available_tags = [bug, old];
    await loadServer(syncDeps(deps, answeringPlatform([server]).platform), guild.id);
    const recorded = await deps.collections.channels.findOne({ _id: channels[0]!.id });
    expect(recorded?.availableTags?.map(({ emoji }) => emoji)).to.deep.equal(['ferris', null]);
  });

  it('reports a forum that is not listed any more only where it was archived', async () => {
    const server = anAnsweredServer('Rust', ['help', 'staff']);
    const [help, staff] = server.channels;
    hide(server, staff!);
    const { platform } = answeringPlatform([server]);
    const own = syncDeps(deps, platform);
    const channels = syncOf(deps.collections.sync, 'channel');
    const told = async () => {
      await loadServer(own, server.guild.id);
      const known = await channels.find({ kind: 'channel' }).sort({ name: 1 }).toArray();
      return known.map(({ name, problem }) => [name, problem]);
    };
    const isHidden = ['staff', 'Not everyone on the server may read it'];
    expect(await told()).to.deep.equal([['help', null], isHidden]);
    server.channels = [staff!];
    expect(await told()).to.deep.equal([['help', 'The bot cannot see it'], isHidden]);
    server.channels = [help!];
    expect(await told()).to.deep.equal([['help', null]]);
  });

  it('withholds no forum that only an export has told of', async () => {
    const { guild } = anAnsweredServer('Rust', []);
    const source = aSourceThread({ server: { _id: guild.id } });
    await record(deps, source);
    const { platform, asked } = answeringPlatform([{ guild, channels: [] }]);
    await loadServer(syncDeps(deps, platform), guild.id);
    const channel = await deps.collections.channels.findOne({ _id: source.channel._id });
    expect(channel).to.be.an('object').and.not.have.property('withheldAt');
    expect(asked.map(({ route }) => route)).not.to.include('channel');
  });

  it('asks at the next look whether a forum was deleted where the platform was away at this one', async () => {
    const server = anAnsweredServer('Rust', ['help', 'news']);
    const [{ id: channelId }] = server.channels as [LiveChannel];
    const away = new PlatformAway('It is away');
    const answers = [away, new PlatformRefused('Unknown Channel', 404, 10_003)];
    const { platform } = answeringPlatform([server], {
      before: ({ route }) =>
        route === 'channel' ? Promise.reject(answers.shift()!) : Promise.resolve(),
    });
    const own = syncDeps(deps, platform);
    await loadServer(own, server.guild.id);
    server.channels.shift();
    const look = () => loadServer(own, server.guild.id).catch((error: unknown) => error);
    expect(await look()).to.equal(away);
    await look();
    expect(await deps.collections.channels.findOne({ _id: channelId })).to.include({
      deleted: true,
    });
    expect(await deps.collections.sync.findOne({ _id: channelId })).to.equal(null);
    await own.removals.end();
  });

  it('marks only the server where the forums are public or withheld as they were at the last look', async () => {
    const server = anAnsweredServer('Rust', ['help', 'news']);
    const own = syncDeps(deps, answeringPlatform([server]).platform);
    await loadServer(own, server.guild.id);
    hide(server, server.channels[1]!);
    await loadServer(own, server.guild.id);
    await doAll(deps);
    await loadServer(own, server.guild.id);
    expect(await deps.collections.work.distinct('kind')).to.deep.equal(['server']);
  });

  it('records the new name and picture of a server without any public forum', async () => {
    const [server, never] = ['Rust', 'Go'].map((name) => anAnsweredServer(name, ['help']));
    const own = syncDeps(deps, answeringPlatform([server!, never!]).platform);
    hide(never!, never!.channels[0]!);
    await loadServer(own, server!.guild.id);
    hide(server!, server!.channels[0]!);
    Object.assign(server!.guild, { name: 'Oxide', icon: 'a1' });
    for (const { guild } of [server!, never!]) await loadServer(own, guild.id);
    await doAll(deps);
    const servers = await deps.collections.servers.find().toArray();
    expect(servers.map(({ name, icon }) => [name, icon])).to.deep.equal([['Oxide', 'a1']]);
    const list = await readBody<ServerList>(deps.collections, SERVER_LIST);
    expect(list!.servers[0]).to.include({ name: 'Oxide', icon: 'a1' });
  });

  it('names nobody who was erased, nor a server that was deleted here, where no forum is public', async () => {
    const [server, gone] = ['Rust', 'Go'].map((name) => anAnsweredServer(name, ['help']));
    const own = syncDeps(deps, answeringPlatform([server!, gone!]).platform);
    for (const { guild } of [server!, gone!]) await loadServer(own, guild.id);
    const { servers } = deps.collections;
    await servers.updateOne({ _id: gone!.guild.id }, { $set: { name: '', deleted: true } });
    const userId = anId();
    await requestErasure(deps.collections, userId);
    for (const one of [server!, gone!]) {
      hide(one, one.channels[0]!);
      Object.assign(one.guild, { description: `Ask <@${userId}>` });
      await loadServer(own, one.guild.id);
    }
    const told = await servers.find().sort({ name: 1 }).toArray();
    expect(told.map(({ name, description }) => [name, description])).to.deep.equal([
      ['', null],
      ['Rust', 'Ask @deleted-user'],
    ]);
  });

  /** Records a forum's thread with two messages. The forum can be withheld, and emptied. */
  async function withheldForum() {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const { messages, channels } = deps.collections;
    const said = [aSourceMessage({ threadId }), aSourceMessage({ threadId })];
    await record(deps, source, said);
    const channelId = source.channel._id;
    const withhold = (hours: number) => {
      const withheldAt = new Date(Date.now() - hours * 3_600_000);
      return channels.updateOne({ _id: channelId }, { $set: { withheldAt } });
    };
    /** Has it emptied, and resolves with the number of messages that are left. */
    const empty = async (by = deps): Promise<number> => {
      const stopped = new AbortController();
      const own = { ...by, longWithheld: new Set([channelId]), signal: stopped.signal };
      const removing = removeLongWithheld(own);
      await until(() => own.longWithheld.size === 0);
      stopped.abort();
      await removing;
      return messages.countDocuments({ threadId });
    };
    return { threadId, channelId, said, withhold, empty };
  }

  it('does not empty a thread whose first build was cut off, before its search documents are removed', async () => {
    const { threadId, channelId, withhold, empty } = await withheldForum();
    const mark = await deps.collections.work.findOne({ _id: markId('thread', threadId) });
    const claimed = await claimMarks(deps, [mark!]);
    // It has sent its search documents when it dies.
    const dying: IndexerDeps = { ...deps, commit: () => Promise.reject(new Error('Killed')) };
    expect(await runClaimed(dying, 'thread', claimed).catch(String)).to.equal('Error: Killed');
    await withhold(13);
    expect(await empty()).to.equal(2);
    await endLeases(deps, threadId);
    await setMarks(deps, 'channel', [channelId]);
    await doAll(deps);
    expect(await empty()).to.equal(0);
    await doAll(deps);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });

  it('empties a forum that stays withheld only when readers see nothing of it any more', async () => {
    const { threadId, channelId, said, withhold, empty } = await withheldForum();
    const { messages, threadItems } = deps.collections;
    await doAll(deps);
    await withhold(13);
    // A build removes the search documents of recorded messages. Without the records, these documents would stay.
    expect(await empty()).to.equal(2);
    await setMarks(deps, 'channel', [channelId]);
    await doAll(deps);
    expect(await threadItems.findOne({ _id: threadId })).to.equal(null);
    // A look has found meanwhile that the forum was shown, and another that it was hidden anew.
    await withhold(11);
    expect(await empty()).to.equal(2);
    await withhold(13);
    // A message that is deleted at that moment stays known as deleted.
    let deleting: Promise<unknown> | undefined;
    const late: IndexerDeps = {
      ...deps,
      async commit(change) {
        await (deleting ??= messages.updateOne({ _id: said[1]!._id }, { $set: REDACTED }));
        return deps.commit(change);
      },
    };
    expect(await empty(late)).to.equal(1);
    expect(await messages.distinct('_id')).to.deep.equal([said[1]!._id]);
    // Once it is empty, nothing more is done.
    await doAll(deps);
    await empty();
    expect(await deps.collections.work.countDocuments()).to.equal(0);
  });

  it('ends before the next look begins, so that an older answer never comes after a newer one', async () => {
    const server = anAnsweredServer('Rust', ['help']);
    const { platform, asked } = answeringPlatform([server]);
    const own = syncDeps(deps, platform);
    await Promise.all([1, 2].map(() => loadServer(own, server.guild.id)));
    const look = ['guild', 'guildChannels', 'me', 'member'];
    expect(asked.map(({ route }) => route)).to.deep.equal([...look, ...look]);
  });

  it('shows no forum again that another process has withheld since it took the lease over', async () => {
    const server = anAnsweredServer('Rust', ['help']);
    const [help] = server.channels;
    const other = syncDeps(deps, answeringPlatform([server]).platform);
    const lost = new AbortController();
    const { platform } = answeringPlatform([server], {
      // This process has the answer that the forum is public, and then stands still.
      before({ route }) {
        if (route === 'guildChannels') lost.abort();
        return Promise.resolve();
      },
    });
    const own = syncDeps(deps, platform, { signal: lost.signal });
    const look = (by: SyncDeps) => loadServer(by, server.guild.id);
    const isWithheld = async () =>
      (await deps.collections.channels.countDocuments({ withheldAt: { $exists: true } })) === 1;
    await look(other);
    hide(server, help!);
    await look(other);
    help!.permission_overwrites = [];
    expect(await look(own).catch((error: unknown) => error)).to.equal(lost.signal.reason);
    expect(await isWithheld()).to.equal(true);
    await look(other);
    expect(await isWithheld()).to.equal(false);
  });

  it('makes the sync read a forum from its beginning that is archived again', async () => {
    const server = anAnsweredServer('Rust', ['help']);
    const own = syncDeps(deps, answeringPlatform([server]).platform);
    const { id: serverId } = server.guild;
    const { id: channelId } = server.channels[0]!;
    await loadServer(own, serverId);
    const channels = syncOf(deps.collections.sync, 'channel');
    // A killed process has noted that the forum was not archived any more, but has not forgotten how far it was listed.
    const at = new Date().toISOString();
    const place = { listedTo: at, before: at, newest: at, unreadable: 'Thread 1 cannot be read' };
    const $set = { problem: 'Missing Access', ...place };
    await channels.updateOne({ _id: channelId }, { $set });
    await loadServer(own, serverId);
    expect(await channels.findOne({ _id: channelId })).to.not.have.any.keys(...Object.keys(place));
  });

  it('makes the sync read a forum from its beginning that was withheld, even where the look that found this failed', async () => {
    const server = anAnsweredServer('Rust', ['help', 'news']);
    let isAway = false;
    const { platform } = answeringPlatform([server], {
      before: ({ route }) =>
        isAway && route === 'me'
          ? Promise.reject(new PlatformAway('It is away'))
          : Promise.resolve(),
    });
    const own = syncDeps(deps, platform);
    const [help] = server.channels;
    const look = () => loadServer(own, server.guild.id);
    const channels = syncOf(deps.collections.sync, 'channel');
    const { asOf } = await look();
    const threads = server.channels.map(({ id: channelId }) =>
      aLiveThread({ guild_id: server.guild.id, parent_id: channelId }),
    );
    await noteThreads(own, own.servers.get(server.guild.id)!, { threads, asOf: asOf + 1 });
    const listedTo = new Date().toISOString();
    await channels.updateMany({ kind: 'channel' }, { $set: { listedTo } });
    hide(server, help!);
    isAway = true;
    expect(await look().catch(String)).to.include('It is away');
    isAway = false;
    help!.permission_overwrites = [];
    await look();
    const left = (kind: 'channel' | 'thread', more = {}) =>
      deps.collections.sync.distinct(kind === 'channel' ? '_id' : 'channelId', { kind, ...more });
    const others = server.channels.slice(1).map(({ id }) => id);
    expect(await left('channel', { listedTo })).to.deep.equal(others);
    expect(await left('thread')).to.deep.equal(others);
  });

  it('makes the sync ask for all members again when the opt-out roles have changed, and only then', async () => {
    const server = anAnsweredServer('Rust', ['help']);
    const { id: serverId, roles } = server.guild;
    const [first, second] = ['No Archive', 'Private'].map((name) => ({
      id: anId(),
      name,
      permissions: '0',
    }));
    roles.push(first!, second!);
    const userId = anId();
    const { platform } = answeringPlatform([server]);
    const own = syncDeps(deps, platform, { optOutEntries: ['no archive', 'left out'] });
    const id = memberId(serverId, userId);
    const look = async () => {
      await loadServer(own, serverId);
      const member = await syncOf(deps.collections.sync, 'member').findOne({ _id: id });
      return { isKnown: own.members.has(id), isChecked: member!.checkedAt > NEVER_CHECKED };
    };
    const note = (asOf: number) =>
      noteRoles(own, { serverId, userId, roleIds: [second!.id], asOf });
    await loadServer(own, serverId);
    await note(1);
    expect(await look()).to.deep.equal({ isKnown: true, isChecked: true });
    // Another process notes the roles, and this one knows nobody.
    own.members.clear();
    expect(await look()).to.deep.equal({ isKnown: false, isChecked: true });
    second!.name = 'Left out';
    expect(await look()).to.deep.equal({ isKnown: false, isChecked: false });
    await note(2);
    expect(await deps.collections.optOuts.distinct('_id')).to.deep.equal([id]);
    // The platform may tell the same roles in another order.
    roles.reverse();
    expect(await look()).to.deep.equal({ isKnown: true, isChecked: true });
    first!.name = 'Nothing';
    expect(await look()).to.deep.equal({ isKnown: false, isChecked: false });
  });
});
