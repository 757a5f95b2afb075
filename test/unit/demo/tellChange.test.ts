import { expect } from 'chai';
import { createRandom } from '../../faults/random.js';
import { tellChange } from '../../demo/tellChange.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import type { Change } from '../../support/discord/model/changes.js';

describe('tellChange', () => {
  it('describes what happened in words that stand alone, and names the message where there is one', async () => {
    const discord = await startDiscord({
      seed: 1,
      history: { guilds: 1, threads: 1, messages: 2 },
    });
    const { model } = discord;
    const { thread } = model.publicThreads()[0]!;
    const message = model.messagesOf(thread.id)[0]!;
    const told = (change: Change) => tellChange(model, 'unreact', change)?.text;
    // A reaction in an archived thread opens the thread first.
    expect(told({ kind: 'threadUpdated', thread })).to.equal(
      `“${thread.name}”: reactions taken back`,
    );
    const text = told({ kind: 'messageUpdated', message }) ?? '';
    expect(text.startsWith(`“${thread.name}”: reactions taken back (`)).to.equal(true);
    expect(text.endsWith(')')).to.equal(true);
    await discord.close();
  });

  it('returns null where nothing could be changed', async () => {
    const discord = await startDiscord({
      seed: 1,
      history: { guilds: 1, threads: 3, messages: 3 },
    });
    const { model } = discord;
    const random = createRandom(1);
    let had = new Map<string, number>();
    const empty: string[] = [];
    model.onChange((change) => {
      if (change.kind === 'reactionsCleared' && had.get(change.message.id) === 0)
        empty.push(change.message.id);
    });
    for (let round = 0; round < 500; round += 1) {
      const threads = [...model.threads.keys()];
      const messages = threads.flatMap((id) => model.messagesOf(id));
      had = new Map(messages.map(({ id, reactions }) => [id, reactions.length]));
      randomOperation(model, random, { keepsAccess: true });
    }
    expect(empty).to.deep.equal([]);
    await discord.close();
  });
});
