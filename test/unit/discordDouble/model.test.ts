import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { expect } from 'chai';
import type { Change } from '../../support/discord/model/changes.js';
import { createModel } from '../../support/discord/model/createModel.js';
import type { Channel, Guild, Thread, User } from '../../support/discord/model/entities.js';
import type { DiscordModel } from '../../support/discord/model/model.js';

const { ViewChannel, ReadMessageHistory } = PermissionFlagsBits;

describe('Model of the platform double', () => {
  let model: DiscordModel;
  let guild: Guild;
  let forum: Channel;
  let thread: Thread;
  let author: User;
  let told: Change['kind'][];

  beforeEach(() => {
    model = createModel(Date.UTC(2026, 0, 1));
    guild = model.createGuild({ name: 'Rust' });
    forum = model.createChannel(guild.id, { type: ChannelType.GuildForum, name: 'help' });
    author = model.createUser();
    model.addMember(guild.id, author.id);
    thread = model.createThread(forum.id, { name: 'Why?', ownerId: author.id });
    told = [];
    model.onChange(({ kind }) => told.push(kind));
  });

  const post = (content = 'Because'): string =>
    model.post(thread.id, { authorId: author.id, content }).id;

  it('gives a post the id of its starter', () => {
    const [starter] = model.messagesOf(thread.id);
    expect(starter?.id).to.equal(thread.id);
    expect(forum.lastMessageId).to.equal(thread.id);
    expect(thread).to.include({ messageCount: 0, totalMessagesSent: 0, lastMessageId: thread.id });
  });

  it('starts a thread of a text channel from a message of it', () => {
    const chat = model.createChannel(guild.id, { type: ChannelType.GuildText });
    const aside = model.createThread(chat.id, { name: 'Aside', ownerId: author.id });
    expect(model.messagesOf(chat.id).map(({ id }) => id)).to.deep.equal([aside.id]);
    const [first] = model.messagesOf(aside.id);
    expect(first).to.deep.include({ type: 21, content: '' });
    expect(first?.reference?.messageId).to.equal(aside.id);
  });

  it('counts down for deleted messages, but keeps the number of messages ever sent', () => {
    const messageId = post();
    model.deleteMessage(thread.id, messageId);
    expect(thread).to.include({ messageCount: 0, totalMessagesSent: 1, lastMessageId: messageId });
    model.deleteMessage(thread.id, thread.id);
    expect(thread.messageCount).to.equal(0);
    expect(told).to.deep.equal(['messageCreated', 'messageDeleted', 'messageDeleted']);
  });

  it('makes an archived thread active by a message, unless it is locked', () => {
    model.updateThread(thread.id, { isPinned: true });
    model.updateThread(thread.id, { isArchived: true });
    expect(thread.isPinned).to.equal(false);
    const { archiveMicros } = thread;
    post();
    expect(thread.isArchived).to.equal(false);
    expect(thread.archiveMicros).to.be.above(archiveMicros);
    model.updateThread(thread.id, { isArchived: true, isLocked: true });
    expect(() => post()).to.throw('locked');
  });

  it('posts a system message for a new title, for a pin and for the end of a poll', () => {
    model.updateThread(thread.id, { name: 'How?' });
    const answers = [{ id: 1, text: 'Yes', voterIds: new Set<string>() }];
    const poll = { question: 'Is it?', answers, endsAt: model.clock.now(), isFinal: false };
    const { id } = model.post(thread.id, { authorId: author.id, poll });
    model.vote(thread.id, id, author.id, 1);
    model.setPinned(thread.id, id, true);
    model.endPoll(thread.id, id);
    expect(model.messagesOf(thread.id).map(({ type }) => type)).to.deep.equal([0, 4, 0, 6, 46]);
    expect(model.findMessage(thread.id, id)?.poll?.isFinal).to.equal(true);
  });

  it('keeps what a forwarded message said', () => {
    const messageId = post('As it was');
    const original = model.findMessage(thread.id, messageId)!;
    const copy = model.forward(original, thread.id, author.id);
    model.edit(thread.id, messageId, { content: 'As it is' });
    expect(copy.snapshot?.content).to.equal('As it was');
  });

  it('tells listeners of a deleted channel, thread or role, but not of what goes with it', () => {
    const role = model.createRole(guild.id);
    model.setOverwrite(forum.id, { id: role.id, type: 0, allow: ViewChannel, deny: 0n });
    told = [];
    model.deleteRole(guild.id, role.id);
    expect(forum.overwrites).to.deep.equal([]);
    model.deleteChannel(forum.id);
    expect(model.threads.size).to.equal(0);
    expect(told).to.deep.equal(['roleDeleted', 'channelDeleted']);
  });

  it('keeps a message that only one member sees out of the history', () => {
    const { id } = model.postEphemeral(thread.id, { authorId: model.bot.id, content: 'For you' });
    expect(model.findMessage(thread.id, id)).to.equal(undefined);
  });

  it('computes permissions by roles, the role of everybody, and overwrites in their order', () => {
    const everyone = { id: guild.id, type: 0 as const };
    expect(model.isPublic(thread.id)).to.equal(true);
    model.setOverwrite(forum.id, { ...everyone, allow: 0n, deny: ReadMessageHistory });
    expect(model.isPublic(thread.id)).to.equal(false);
    expect(model.permissionsOf(author.id, thread.id)).to.equal(ViewChannel);
    model.setOverwrite(forum.id, { ...everyone, allow: 0n, deny: ViewChannel });
    expect(model.permissionsOf(author.id, thread.id)).to.equal(0n);
    const own = { id: author.id, type: 1 as const };
    model.setOverwrite(forum.id, { ...own, allow: ViewChannel, deny: 0n });
    expect(model.permissionsOf(author.id, thread.id)).to.equal(ViewChannel | ReadMessageHistory);
    expect(model.isPublic(thread.id)).to.equal(false);
    model.updateRole(guild.id, guild.id, { permissions: PermissionFlagsBits.Administrator });
    expect(model.isPublic(thread.id)).to.equal(true);
  });

  it('keeps the messages of a deleted account', () => {
    post();
    model.deleteAccount(author.id);
    expect(author.username).to.match(/^deleted_user_/);
    expect(guild.members.has(author.id)).to.equal(false);
    expect(model.messagesOf(thread.id)).to.have.length(2);
  });
});
