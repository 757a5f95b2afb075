import { expect } from 'chai';
import type { SyncStats } from '../../../shared/contract/admin.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { leaveOut } from '../../support/leaveOut.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { until } from '../../support/apiServer.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';

describe('an archive with a bot', () => {
  let discord: DiscordDouble;
  let archive: TestArchive;

  before(async () => {
    discord = await startDiscord({ rateLimits: false });
    archive = await startArchive({
      env: {
        DISCORD_BOT_TOKEN: discord.token,
        DISCORD_API_URL: discord.url,
        // A thread that is being read once more counts as not fetched.
        REREAD_EVERY_SECONDS: '3600',
      },
    });
  });
  after(async () => {
    await archive.close();
    await discord.close();
  });

  it('finds the server, serves its threads and searches them', async () => {
    const [first] = discord.model.publicThreads().filter(({ messages }) => messages.length > 3);
    const path = `/api/threads/${first!.thread.id}`;
    await until(async () => (await archive.api.get(path)).status === 200);
    const { code, stdout } = await archive.cli('sync', '--json');
    expect(code, stdout).to.equal(0);
    expect(JSON.parse(stdout)).to.include({
      state: 'done',
      threads: discord.model.publicThreads().length,
    });
    const thread = await archive.json<ThreadDetail>(path);
    expect(thread.title).to.equal(first!.thread.name);
  });

  it('shows the state of the sync, and why a forum is not archived', async () => {
    const { stdout } = await archive.cli('status');
    expect(stdout).to.match(/Synced threads: +(\d+) of \1\n/);
    expect(stdout).to.contain('staff: Not everyone on the server may read it');
    const { stdout: json } = await archive.cli('status', '--json');
    const { sync } = JSON.parse(json) as { sync: SyncStats };
    expect(sync).to.include({ problem: null });
    const counts = discord.model
      .publicThreads()
      .reduce<Record<string, number>>((sums, { channel: { id } }) => {
        return { ...sums, [id]: (sums[id] ?? 0) + 1 };
      }, {});
    expect(Object.keys(counts)).not.to.be.empty;
    for (const { channelId, threads } of sync.channels) {
      const found = counts[channelId] ?? 0;
      expect(threads).to.deep.equal({ found, fetched: found, failed: 0 });
    }
  });

  it('shows new messages within seconds, and that it is connected', async () => {
    const { model } = discord;
    const { thread } = model.publicThreads().find((one) => !one.thread.isArchived)!;
    const read = () => archive.json<ThreadDetail>(`/api/threads/${thread.id}`);
    await until(async () =>
      /Events: +connected since 2/.test((await archive.cli('status')).stdout),
    );
    await read();
    model.clock.advance(60_000);
    model.post(thread.id, { authorId: thread.ownerId, content: 'As it happens' });
    await until(async () => (await read()).messages.at(-1)?.content === 'As it happens');
  });

  it('links to attachments that open whenever they are followed, and to nothing that is not public', async () => {
    const { model } = discord;
    const files = model
      .publicThreads()
      .flatMap(({ thread, channel, guild, messages }) =>
        messages
          .filter(({ attachments, reference }) => attachments.length > 0 && !reference)
          .map((message) => ({ thread, channel, guild, message })),
      );
    const [first, second, third] = files;
    expect(third).not.to.equal(undefined);
    const linkOf = async ({ thread, message }: (typeof files)[number]): Promise<string> => {
      const { messages } = await archive.json<ThreadDetail>(`/api/threads/${thread.id}`);
      const { url } = messages.find(({ id }) => id === message.id)!.attachments[0]!;
      return new URL(url).pathname;
    };
    const link = await linkOf(first!);
    const opened = await archive.api.get(link);
    expect(opened.status).to.equal(302);
    expect(opened.headers['cache-control']).to.contain('no-store');
    const location = String(opened.headers.location);
    expect((await fetch(location)).status).to.equal(200);
    // Where links cannot be refreshed, they are taken from the message.
    discord.faults.next('notFound', { route: 'refreshUrls' });
    const fromMessage = await archive.api.get(await linkOf(second!));
    expect((await fetch(String(fromMessage.headers.location))).status).to.equal(200);

    expect((await archive.api.get('/attachments/1/2')).status).to.equal(404);
    const { message, channel } = first!;
    const { channels, messages } = archive.api.stores.mongo.collections;
    const hidden = { $set: { withheldAt: new Date() } };
    await channels.updateOne({ _id: channel.id }, hidden);
    expect((await archive.api.get(link)).status).to.equal(404);
    await channels.updateOne({ _id: channel.id }, { $unset: { withheldAt: '' } });
    expect((await archive.api.get(link)).status).to.equal(302);
    await messages.updateOne({ _id: message.id }, { $set: { deleted: true } });
    expect((await archive.api.get(link)).status).to.equal(404);
    await messages.updateOne({ _id: message.id }, { $unset: { deleted: '' } });
    await leaveOut(archive.api.stores.mongo, first!.guild.id, message.authorId, true);
    expect((await archive.api.get(link)).status).to.equal(404);
    await leaveOut(archive.api.stores.mongo, first!.guild.id, message.authorId, false);
    expect((await archive.api.get(link)).status).to.equal(302);

    // A file that the bot may not see is not found. The sync looks at the server after each change, and would undo the
    // changes above.
    const own = [...third!.guild.roles.values()].find(({ botId }) => botId !== null)!;
    const overwrite = { id: own.id, type: 0, allow: 0n } as const;
    model.setOverwrite(third!.channel.id, { ...overwrite, deny: 1n << 16n });
    discord.faults.next('notFound', { route: 'refreshUrls' });
    expect((await archive.api.get(await linkOf(third!))).status).to.equal(404);
    model.setOverwrite(third!.channel.id, { ...overwrite, deny: 0n });

    const { stdout, code } = await archive.cli('erase-user', message.authorId);
    expect(code, stdout).to.equal(0);
    expect((await archive.api.get(link)).status).to.equal(404);
  });

  it('fetches a thread once more on request, and says why it cannot', async () => {
    const { model } = discord;
    const { thread, messages } = model
      .publicThreads()
      .find((one) => one.messages.length > 3 && !one.thread.isArchived)!;
    model.clock.advance(60_000);
    model.edit(thread.id, messages[1]!.id, { content: 'Said otherwise' });
    const { code, stdout } = await archive.cli('sync', '--thread', thread.id);
    expect(code, stdout).to.equal(0);
    await until(async () => {
      const { messages: shown } = await archive.json<ThreadDetail>(`/api/threads/${thread.id}`);
      return shown.some(({ content }) => content === 'Said otherwise');
    });
    const staff = [...model.channels.values()].find(({ name }) => name === 'staff')!;
    const refused = await archive.cli('sync', '--channel', staff.id);
    expect(refused.code).to.equal(1);
    expect(refused.stdout + refused.stderr).to.contain('Not everyone on the server may read it');
  });
});
