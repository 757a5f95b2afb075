import { expect } from 'chai';
import { listServers } from '../../../../shared/discordApi/listServers.js';
import type { PlatformClient } from '../../../../shared/discordApi/platformClient.js';
import {
  channelsRequest,
  guildRequest,
  guildsRequest,
  memberRequest,
  messageRequest,
  messagesRequest,
  placeRequest,
  SERVERS_PAGE_SIZE,
  threadRequest,
} from '../../../../shared/discordApi/requests.js';
import { anId } from '../../../support/factories.js';
import { aLiveMessage, aLiveThread } from '../../../support/liveAnswers.js';

describe('a request for a page after an id', () => {
  const [before, first, second, threadId] = [anId(), anId(), anId(), anId()];

  it('accepts a page that goes on there, in any order, and an empty one', () => {
    const messages = messagesRequest(threadId, before);
    const page = [second, first].map((id) => aLiveMessage({ id, channel_id: threadId }));
    expect(messages.check(page)).to.deep.equal({ messages: page, unreadable: [] });
    expect(messages.check([])).to.deep.equal({ messages: [], unreadable: [] });
    expect(() => messages.check({ message: 'no list' })).to.throw();
    expect(guildsRequest('0').check([{ id: before }])).to.have.length(1);
  });

  it('refuses a page that came before, since the list would never end', () => {
    const page = [second, first].map((id) => aLiveMessage({ id }));
    expect(() => messagesRequest(anId(), second).check(page)).to.throw('does not go on after');
    expect(() => messagesRequest(anId(), first).check(page)).to.throw('does not go on after');
    expect(() => guildsRequest(second).check([{ id: first }])).to.throw('does not go on after');
  });

  it('ends a list of servers that repeats the same page', async () => {
    const servers = Array.from({ length: SERVERS_PAGE_SIZE }, () => ({ id: anId() }));
    const get: PlatformClient['get'] = (request) =>
      Promise.resolve({ value: request.check(servers), asOf: 1 });
    const error: unknown = await listServers({ get }).catch((thrown: unknown) => thrown);
    expect((error as Error).message).to.match(/does not go on after/);
  });
});

describe('a request for messages', () => {
  it('tells of a value of a wrong form where it stands, and not what it says', () => {
    const message = aLiveMessage({ webhook_id: 'What somebody wrote' });
    const { unreadable } = messagesRequest(message.channel_id, '0').check([message]);
    expect(unreadable).to.deep.equal([{ id: message.id, reason: 'webhook_id has a wrong form' }]);
  });
});

describe('an answer about something else than was asked for', () => {
  const [asked, other] = [anId(), anId()];

  it('is no answer, because it may be about a private place', () => {
    const guild = { id: other, name: 'Garden', roles: [] };
    const forum = { id: anId(), type: 15, guild_id: other, permission_overwrites: [] };
    const place = { id: other, type: 11, guild_id: anId() };
    const thread = { ...aLiveThread({ id: other }), guild_id: anId() };
    const message = aLiveMessage({ id: other, channel_id: other });
    const wrong = [
      () => guildRequest(asked).check(guild),
      () => channelsRequest(asked).check([forum]),
      () => placeRequest(asked).check(place),
      () => threadRequest(asked).check(thread),
      () => messagesRequest(asked, '0').check([aLiveMessage({ channel_id: asked }), message]),
      () => messageRequest(asked, other).check(message),
      () => messageRequest(other, asked).check(message),
      () => memberRequest(other, asked).check({ roles: [], user: { id: other } }),
    ];
    for (const check of wrong) expect(check).to.throw(`it is about ${other}, not ${asked}`);
    expect(guildRequest(other).check(guild)).to.equal(guild);
    expect(channelsRequest(other).check([forum])).to.deep.equal([forum]);
    expect(threadRequest(other).check(thread)).to.equal(thread);
    expect(messageRequest(other, other).check(message)).to.equal(message);
  });
});

describe('a request for a message with components', () => {
  const inContainers = (levels: number, inside: unknown): unknown =>
    levels === 0 ? inside : inContainers(levels - 1, { type: 17, components: [inside] });
  const checked = (component: unknown) => {
    const message = aLiveMessage({ components: [component as never] });
    return messagesRequest(message.channel_id, '0').check([message]);
  };

  it('reads those that the platform puts into each other', () => {
    const words = { type: 10, content: 'Words' };
    const section = { type: 9, components: [words], accessory: { type: 2, style: 1 } };
    for (const one of [inContainers(1, section), inContainers(3, words)])
      expect(checked(one).unreadable).to.deep.equal([]);
  });

  it('takes nothing of a message in which a part is too deep to be checked', () => {
    const parts = [null, 7, { type: 10, content: 7 }, { type: 12, items: [{ media: null }] }];
    for (const part of parts) {
      expect(checked(inContainers(4, part)).messages, JSON.stringify(part)).to.deep.equal([]);
      const accessory = inContainers(3, { type: 9, accessory: part });
      expect(checked(accessory).messages, JSON.stringify(part)).to.deep.equal([]);
    }
  });
});

describe('a request for the channels of a server', () => {
  it('leaves out other kinds of channels, whatever their form', () => {
    const { check } = channelsRequest(anId());
    const kept = [4, 15, 16].map((type) => ({ id: anId(), type, name: 'help', position: 1 }));
    const others = [
      { id: anId(), type: 2, name: 7, position: null },
      { id: anId(), type: 99, permission_overwrites: 'inherited', nsfw: 'partly' },
    ];
    expect(check([...others, ...kept])).to.deep.equal(kept);
    expect(() => check([{ ...kept[1], permission_overwrites: 'inherited' }])).to.throw();
    expect(() => check([{ ...others[0], type: 'voice' }])).to.throw();
  });
});
