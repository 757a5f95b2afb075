import { expect } from 'chai';
import { createRandom } from '../../faults/random.js';
import { generateHistory } from '../../support/discord/history/generateHistory.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import { createModel } from '../../support/discord/model/createModel.js';
import type { Message } from '../../support/discord/model/entities.js';
import type { DiscordModel } from '../../support/discord/model/model.js';
import { isForum } from '../../support/discord/model/threadOperations.js';
import { withDefaults } from '../../support/discord/settings.js';

function generated(seed: number): DiscordModel {
  const settings = withDefaults({ seed, history: { threads: 40, messages: 30 } });
  const model = createModel(settings.startAt);
  generateHistory(model, settings);
  return model;
}

/** Everything that a model holds, as text. */
function textOf(model: DiscordModel): string {
  const messages = [...model.threads.keys()].map((id) => model.messagesOf(id));
  const { guilds, channels, threads, users } = model;
  return JSON.stringify([guilds, channels, threads, users, messages], (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Map || value instanceof Set ? [...value] : value;
  });
}

describe('History of the platform double', () => {
  let model: DiscordModel;
  let messages: Message[];

  before(() => {
    model = generated(1);
    messages = [...model.threads.keys()].flatMap((id) => [...model.messagesOf(id)]);
  });

  it('is the same for the same seed', () => {
    expect(textOf(generated(1))).to.equal(textOf(model));
    expect(textOf(generated(2))).not.to.equal(textOf(model));
  });

  it('holds ids of 17, 18 and 19 digits', () => {
    const lengths = [...model.users.keys(), ...model.threads.keys()].map(({ length }) => length);
    expect(new Set(lengths)).to.deep.equal(new Set([17, 18, 19]));
  });

  it('holds threads in every state, and some that were archived at one moment', () => {
    const threads = [...model.threads.values()];
    for (const state of ['isArchived', 'isLocked', 'isPinned'] as const) {
      expect(new Set(threads.map((thread) => thread[state])).size, state).to.equal(2);
    }
    const archived = threads.filter(({ isArchived }) => isArchived);
    const moments = new Set(archived.map(({ archiveMicros }) => archiveMicros));
    expect(moments.size).to.be.below(archived.length);
  });

  it('holds messages of every kind', () => {
    expect(new Set(messages.map(({ type }) => type))).to.include.members([0, 1, 8, 19, 20, 24]);
    for (const find of [
      (message: Message) => message.poll,
      ({ snapshot }) => snapshot,
      ({ webhook }) => webhook,
      ({ command }) => command,
      ({ stickers }) => stickers[0],
      ({ components }) => components[0],
      ({ embeds }) => embeds[0],
      ({ attachments }) => attachments[0],
      ({ reactions }) => reactions[0],
      ({ editedMicros }) => editedMicros,
      ({ reference }) => reference?.messageId && !isThere(reference.messageId),
    ] as ((message: Message) => unknown)[]) {
      expect(messages.some(find), find.toString()).to.equal(true);
    }
  });

  it('keeps the messages of a thread in the order of their ids', () => {
    for (const id of model.threads.keys()) {
      const ids = model.messagesOf(id).map((message) => BigInt(message.id));
      const sorted = [...ids].sort((left, right) => (left < right ? -1 : 1));
      expect(ids).to.deep.equal(sorted);
    }
  });

  it('shows as public only what everybody may read', () => {
    const names = new Set(model.publicThreads().map(({ channel }) => channel.name));
    expect(names).to.deep.equal(new Set(['help-1', 'help-2', 'showcase']));
    const forums = [...model.channels.values()].filter(isForum);
    const unseen = forums.filter(({ id }) => model.permissionsOf(model.bot.id, id) === 0n);
    expect(unseen.map(({ name }) => name)).to.deep.equal(['secret']);
  });

  it('changes by random operations, each of which listeners are told', () => {
    const changing = generated(3);
    let changes = 0;
    const stop = changing.onChange(() => (changes += 1));
    const random = createRandom(7);
    const names = Array.from({ length: 1_500 }, () => randomOperation(changing, random));
    stop();
    expect(new Set(names).size).to.be.above(25);
    expect(changes).to.be.above(names.filter((name) => name !== null).length / 2);
  });

  function isThere(messageId: string): boolean {
    return messages.some(({ id }) => id === messageId);
  }
});
