import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { startDiscord } from '../../support/discord/startDiscord.js';

const SCRIPT = 'test/support/discord/discordPy.py';
/** A Python that has discord.py 2.7. */
const PYTHON = process.env.DISCORD_PY_PYTHON ?? 'python3';

describe('discord.py, pointed at the platform double', () => {
  before(function () {
    if (spawnSync(PYTHON, ['-c', 'import discord']).status === 0) return;
    console.log('    skipped: the Python of DISCORD_PY_PYTHON has no discord.py');
    this.skip();
  });

  it('reads all public threads within the limits, and hears of a message', async () => {
    const double = await startDiscord({ seed: 6, history: { threads: 8, messages: 10 } });
    const found = double.model.publicThreads();
    const expected = found.map(({ thread, messages }) => [
      thread.id,
      thread.name,
      messages.map(({ id }) => id).toReversed(),
    ]);
    const script = spawn(PYTHON, [SCRIPT, double.url, double.gatewayUrl, double.token], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: script.stdout })) {
      lines.push(line);
      if (line !== 'ready') continue;
      const { thread } = found.find((one) => !one.thread.isArchived)!;
      double.model.post(thread.id, { authorId: thread.ownerId, content: 'Hear, hear' });
    }
    const { counts } = double.limits;
    await double.close();
    expect(lines.slice(-2)).to.deep.equal(['ready', 'Hear, hear']);
    const threads = lines.slice(0, -2).map((line) => JSON.parse(line) as unknown);
    expect(threads).to.include.deep.members(expected);
    expect(counts.bucket).to.equal(0);
  });
});
