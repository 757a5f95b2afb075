import { expect } from 'chai';
import { readEvent } from '../../../../services/indexer/gateway/gatewayEvents.js';
import { anId } from '../../../support/factories.js';
import { aLiveMessage, aLiveThread } from '../../../support/liveAnswers.js';

const BOT_ID = anId();
const [serverId, threadId, messageId, userId] = [anId(), anId(), anId(), anId()];
const read = (type: string, data: unknown) => readEvent(type, data, BOT_ID);

describe('readEvent', () => {
  const inThread = { guild_id: serverId, channel_id: threadId };
  const ofMessage = { ...inThread, message_id: messageId };
  const emoji = { id: null, name: '👍' };

  describe('of messages', () => {
    const message = aLiveMessage({ channel_id: threadId });

    it('tells what was said and edited in a public thread', () => {
      for (const type of ['MESSAGE_CREATE', 'MESSAGE_UPDATE']) {
        const event = read(type, { ...message, guild_id: serverId, channel_type: 11 });
        expect(event, type).to.include({ kind: 'message', serverId, threadId });
        expect(event, type).to.have.nested.property('message.content', message.content);
      }
    });

    it('reports a changed message where an update tells only a part of it', () => {
      const { author: _author, ...rest } = message;
      const parts = [rest, { id: message.id, embeds: [] }, { id: message.id, pinned: true }];
      for (const part of parts) {
        const event = read('MESSAGE_UPDATE', { ...part, ...inThread });
        const place = { serverId, threadId, messageId: message.id };
        expect(event).to.deep.equal({ kind: 'changed', ...place });
      }
      expect(read('MESSAGE_UPDATE', { ...rest, channel_id: threadId })).to.equal(null);
      expect(() => read('MESSAGE_CREATE', { ...rest, ...inThread })).to.throw(/author/);
    });

    it('reports a changed poll where an update does not tell the votes', () => {
      const poll = { question: { text: 'Tea?' }, answers: [] };
      const place = { ...inThread, channel_type: 11 };
      const without = { ...message, ...place, poll };
      const withVotes = { ...without, poll: { ...poll, results: { answer_counts: [] } } };
      expect(read('MESSAGE_UPDATE', without)).to.include({ kind: 'changed' });
      expect(read('MESSAGE_UPDATE', withVotes)).to.include({ kind: 'message' });
      // A new poll has no votes.
      expect(read('MESSAGE_CREATE', without)).to.include({ kind: 'message' });
    });

    it('ignores other channels, and messages for a single person', () => {
      for (const channel_type of [0, 2, 5, 12]) {
        const data = { ...message, guild_id: serverId, channel_type };
        expect(read('MESSAGE_CREATE', data), String(channel_type)).to.equal(null);
      }
      expect(read('MESSAGE_CREATE', message)).to.equal(null);
      expect(read('MESSAGE_DELETE', { id: messageId, channel_id: threadId })).to.equal(null);
    });

    it('tells which are deleted, one or many', () => {
      const deleted = { kind: 'messagesDeleted', serverId, threadId };
      const one = read('MESSAGE_DELETE', { ...inThread, id: messageId });
      expect(one).to.deep.equal({ ...deleted, messageIds: [messageId] });
      const ids = Array.from({ length: 1_500 }, () => anId());
      const many = read('MESSAGE_DELETE_BULK', { ...inThread, ids });
      expect(many).to.deep.equal({ ...deleted, messageIds: ids });
    });

    it('tells votes, and each change of reactions', () => {
      const place = { serverId, threadId, messageId };
      for (const vote of ['MESSAGE_POLL_VOTE_ADD', 'MESSAGE_POLL_VOTE_REMOVE'])
        expect(read(vote, ofMessage), vote).to.deep.equal({ kind: 'changed', ...place });
      const change = (type: string, more: object) => {
        const event = read(type, { ...ofMessage, ...more });
        expect(event, type).to.include({ kind: 'reacted', ...place });
        return (event as unknown as { change: unknown }).change;
      };
      const told = { emoji: { id: null, name: '👍', animated: false } };
      const reaction = { user_id: userId, emoji };
      expect(change('MESSAGE_REACTION_ADD', reaction)).to.deep.equal({ kind: 'added', ...told });
      expect(change('MESSAGE_REACTION_REMOVE', reaction)).to.deep.equal({
        kind: 'removed',
        userId,
        ...told,
      });
      expect(change('MESSAGE_REACTION_REMOVE_EMOJI', { emoji })).to.deep.equal({
        kind: 'emojiCleared',
        ...told,
      });
      expect(change('MESSAGE_REACTION_REMOVE_ALL', {})).to.deep.equal({ kind: 'cleared' });
    });
  });

  it('tells threads, and those that are deleted', () => {
    const thread = aLiveThread({ id: threadId });
    const told = { ...thread, guild_id: serverId };
    for (const type of ['THREAD_CREATE', 'THREAD_UPDATE']) {
      expect(read(type, told), type).to.deep.include({ kind: 'thread', serverId, threadId });
    }
    const channelId = anId();
    const gone = { id: threadId, guild_id: serverId, parent_id: channelId, type: 11 };
    expect(read('THREAD_DELETE', gone)).to.deep.equal({
      kind: 'threadDeleted',
      serverId,
      threadId,
      channelId,
    });
  });

  it('does not take an outage for a removal', () => {
    const away = { id: serverId, unavailable: true };
    expect(read('GUILD_DELETE', away)).to.equal(null);
    expect(read('GUILD_CREATE', away)).to.equal(null);
    expect(read('GUILD_DELETE', { id: serverId })).to.deep.equal({ kind: 'left', serverId });
    expect(read('GUILD_CREATE', { id: serverId })).to.deep.equal({ kind: 'heard', serverId });
  });

  it('reports what may change who sees what, but not for channels that are not archived', () => {
    const rules = { kind: 'rules', serverId };
    expect(read('GUILD_UPDATE', { id: serverId })).to.deep.equal(rules);
    expect(read('GUILD_ROLE_DELETE', { guild_id: serverId, role_id: anId() })).to.deep.equal(rules);
    for (const type of ['CHANNEL_CREATE', 'CHANNEL_UPDATE', 'CHANNEL_DELETE']) {
      for (const kind of [4, 15, 16]) {
        expect(read(type, { guild_id: serverId, type: kind }), `${type} ${kind}`).to.deep.equal(
          rules,
        );
      }
      expect(read(type, { guild_id: serverId, type: 0 }), type).to.equal(null);
    }
    const role = { id: anId(), name: 'Helpers', permissions: '66560' };
    for (const type of ['GUILD_ROLE_CREATE', 'GUILD_ROLE_UPDATE']) {
      const changed = read(type, { guild_id: serverId, role });
      expect(changed, type).to.deep.equal({ kind: 'role', serverId, role });
    }
  });

  it('tells which forums the bot may see again, or that it may be all', () => {
    const synced = { guild_id: serverId, threads: [], members: [] };
    const channelIds = [anId()];
    const some = read('THREAD_LIST_SYNC', { ...synced, channel_ids: channelIds });
    expect(some).to.deep.equal({ kind: 'gained', serverId, channelIds });
    expect(read('THREAD_LIST_SYNC', synced)).to.deep.equal({ kind: 'gained', serverId });
  });

  it("tells members' roles; the bot's own are rules", () => {
    const roles = [anId()];
    for (const type of ['GUILD_MEMBER_ADD', 'GUILD_MEMBER_UPDATE']) {
      const told = (id: string) => read(type, { guild_id: serverId, user: { id }, roles });
      expect(told(userId)).to.deep.equal({ kind: 'member', serverId, userId, roleIds: roles });
      expect(told(BOT_ID)).to.deep.equal({ kind: 'rules', serverId });
    }
  });

  it('ignores events that it does not know', () => {
    for (const type of ['TYPING_START', 'VOICE_STATE_UPDATE', 'constructor', '__proto__']) {
      expect(read(type, {}), type).to.equal(null);
    }
  });

  it('refuses data that is not what the event promises', () => {
    const wrong: [string, unknown][] = [
      ['MESSAGE_CREATE', null],
      ['MESSAGE_CREATE', { ...aLiveMessage(), guild_id: 'x' }],
      ['MESSAGE_DELETE', { ...inThread, id: '../../1' }],
      ['MESSAGE_DELETE_BULK', { ...inThread, ids: [messageId, 'x'] }],
      ['MESSAGE_REACTION_ADD', { ...ofMessage, emoji }],
      ['THREAD_UPDATE', { id: threadId }],
      ['GUILD_DELETE', { unavailable: 'no' }],
      ['GUILD_MEMBER_UPDATE', { guild_id: serverId, user: { id: userId } }],
    ];
    for (const [type, data] of wrong) expect(() => read(type, data), type).to.throw();
  });
});
