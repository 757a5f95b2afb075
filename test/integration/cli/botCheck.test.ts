import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { BotReport } from '../../../services/cli/bot/checkBot.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { runCli } from '../../support/runCli.js';
import { runOnTerminal } from '../../support/runOnTerminal.js';
import { runOnHost } from '../../support/runOnHost.js';

// Nothing listens at these addresses, because the check needs no stores.
const NO_STORES = {
  MONGODB_URL: 'mongodb://127.0.0.1:9/none',
  ELASTICSEARCH_URL: 'http://127.0.0.1:9',
  REDIS_URL: 'redis://127.0.0.1:9',
};

describe('bot check', () => {
  let discord: DiscordDouble;
  afterEach(() => discord.close());

  async function start(options: DiscordOptions = {}) {
    discord = await startDiscord({ rateLimits: false, history: { messages: 2 }, ...options });
  }
  function withBot(env: Record<string, string> = {}) {
    const own = { DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.url };
    return { ...NO_STORES, ...own, ...env };
  }
  function check(env: Record<string, string>, ...args: string[]) {
    return runOnHost(withBot(env), ['bot', 'check', ...args]);
  }
  async function report(env: Record<string, string> = {}) {
    const { code, stdout } = await check(env, '--json');
    return { code, report: JSON.parse(stdout) as BotReport };
  }

  it('tells which forums are archived, why others are not, and how to invite the bot', async () => {
    await start();
    const [guild] = discord.model.guilds.values();
    discord.model.createRole(guild!.id, { name: 'No Archive' });
    const { code, stdout } = await runCli(withBot({ OPT_OUT_ROLE: 'no archive' }), [
      'bot',
      'check',
    ]);
    expect(code, stdout).to.equal(0);
    expect(stdout).to.match(/^Message Content: +granted$/m);
    expect(stdout).to.contain(`client_id=${discord.model.bot.id}&scope=bot&permissions=66560`);
    const channels = new Set(discord.model.publicThreads().map(({ channel }) => channel.name));
    for (const name of channels) expect(stdout).to.contain(`  archived      ${name}\n`);
    expect(stdout).to.contain('not archived  staff: Not everyone on the server may read it');
    expect(stdout).to.contain('not archived  adults: It is age-restricted');
    expect(stdout).to.contain('opt-out role  no archive');
    expect(stdout).to.match(/All is well\n$/);
  });

  it('shows a bar on a terminal while the platform does not answer', async () => {
    await start();
    discord.faults.next('held');
    const { stdout } = await runOnTerminal(withBot(), ['bot', 'check'], '\u0003', {
      when: 'bot check [',
    });
    expect(stdout).to.contain(' 0%');
  });

  it('says what has to be changed', async () => {
    await start({ messageContent: false });
    const [guild] = discord.model.guilds.values();
    discord.model.updateRole(guild!.id, guild!.id, { permissions: 0n });
    const unknown = '310000000000000009';
    const settings = { OPT_OUT_ROLE: 'quiet', DISCORD_ALSO_CHANNELS: unknown };
    const { code, report: found } = await report(settings);
    expect(code).to.equal(1);
    expect(found.intents.messageContent).to.equal(false);
    const expected = ['Message Content intent', 'None of its forums is public', unknown, 'quiet'];
    expect(found.problems).to.have.length(expected.length);
    for (const [n, text] of expected.entries()) expect(found.problems[n]).to.contain(text);
  });

  it('ends with the reason where nothing may be asked for a long time', async () => {
    await start();
    discord.limits.blockByCloudflare(3_600);
    const { code, stdout, stderr } = await check({});
    expect(code, stdout).to.equal(1);
    expect(stderr).to.match(/Cloudflare.* limits this address.* for 3\d{3} seconds/);
  });

  it('ends with the reason where one route may not be asked for a long time', async () => {
    await start();
    const limited = createServer((_request, response) => {
      response.writeHead(429, { 'Content-Type': 'application/json', 'X-RateLimit-Scope': 'user' });
      response.end(JSON.stringify({ message: 'Slow down', retry_after: 3_600, global: false }));
    }).listen(0, '127.0.0.1');
    await once(limited, 'listening');
    try {
      const { port } = limited.address() as AddressInfo;
      const { code, stderr } = await check({ DISCORD_API_URL: `http://127.0.0.1:${port}` });
      expect(code).to.equal(1);
      expect(stderr).to.match(/asks to wait \(429\)\. Nothing should be asked for 3600 seconds/);
    } finally {
      limited.closeAllConnections();
      limited.close();
    }
  });

  it('checks the other servers while one has an outage, and says which', async () => {
    await start({ history: { messages: 2, guilds: 2 } });
    const [away, other] = discord.model.guilds.values();
    discord.model.setUnavailable(away!.id, true);
    const role = 'on the server that is away';
    const { code, report: found } = await report({ OPT_OUT_ROLE: role });
    expect(code).to.equal(1);
    const ids = found.servers.map(({ serverId }) => serverId);
    expect(ids).to.include.members([away!.id, other!.id]);
    const checked = found.servers.find(({ serverId }) => serverId === other!.id);
    expect(checked!.forums.some(({ problem }) => problem === null)).to.equal(true);
    expect(found.problems).to.have.length(1);
    expect(found.problems[0]).to.match(new RegExp(`^${away!.id}: The platform answers 5`));
  });

  it('says that a bot is on no server, and that a token is refused or missing', async () => {
    await start({ history: null });
    const { code, report: found } = await report();
    expect([code, found.servers]).to.deep.equal([1, []]);
    expect(found.problems[0]).to.contain('invite link');
    const refused = await check({ DISCORD_BOT_TOKEN: 'reset' });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('The platform refuses DISCORD_BOT_TOKEN');
    const missing = await check({ DISCORD_BOT_TOKEN: '' });
    expect(missing.code).to.equal(1);
    expect(missing.stderr).to.contain('Set DISCORD_BOT_TOKEN');
  });
});
