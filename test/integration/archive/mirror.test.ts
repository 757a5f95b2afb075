import { expect } from 'chai';
import type { AdminStats } from '../../../shared/contract/admin.js';
import type { Server } from '../../../shared/contract/servers.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { fileRecordId, syncOf } from '../../../shared/store/syncRecords.js';
import { until, untilEqual, type Reply } from '../../support/apiServer.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import type { Message } from '../../support/discord/model/entities.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { leaveOut } from '../../support/leaveOut.js';
import { aBucket, aFolder, type MirrorPlace } from '../../support/mirrorRig.js';

const IMAGE = { contentType: 'image/png', width: 1, height: 1 };
const PAGE = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

for (const [where, aPlace] of Object.entries({ folder: aFolder, bucket: aBucket })) {
  describe(`an archive with a mirror in a ${where}`, () => {
    let place: MirrorPlace;
    let discord: DiscordDouble;
    let archive: TestArchive;
    let posted: { threadId: string; message: Message; authorId: string; channelId: string };
    let guildId: string;

    before(async function () {
      // The S3 server may have to be built first.
      this.timeout(0);
      place = await aPlace();
      discord = await startDiscord({
        rateLimits: false,
        cdnUrl: 'https://cdn.discordapp.com',
        linkLifetimeSeconds: 60,
        history: { forums: 1, threads: 2, messages: 3 },
      });
      const { model } = discord;
      const { channel, guild } = model.publicThreads()[0]!;
      guildId = guild.id;
      const authorId = model.createUser({ username: 'edmund', avatar: 'a_0f' }).id;
      model.addMember(guild.id, authorId);
      const thread = model.createThread(channel.id, {
        name: 'Pictures',
        ownerId: authorId,
        starter: { content: 'Look' },
      });
      const message = model.post(thread.id, {
        authorId,
        content: 'Four of them',
        attachments: [
          { ...IMAGE, filename: 'naïve “chart”;\n.png', size: 5_000 },
          { filename: 'page.svg', size: PAGE.length, contentType: 'image/svg+xml' },
          { filename: 'all.zip', size: 70, contentType: 'application/zip' },
          { filename: 'run.js', size: 50, contentType: 'application/javascript' },
        ],
      });
      posted = { threadId: thread.id, message, authorId, channelId: channel.id };
      archive = await startArchive({
        env: {
          DISCORD_BOT_TOKEN: discord.token,
          DISCORD_API_URL: discord.url,
          DISCORD_CDN_URL: new URL(discord.url).origin,
          DISABLE_AUTH: 'true',
          MIRROR_TYPES: 'image/*,application/javascript',
          ...place.env,
        },
      });
      await until(async () => (await linksOf()).length === 4);
      for (const index of [0, 1, 3]) await untilEqual(async () => (await open(index)).status, 200);
      const profile = `/api/users/${posted.authorId}`;
      await untilEqual(async () => (await archive.api.get(profile)).status, 200);
    });
    after(async () => {
      await archive.close();
      await discord.close();
      await place.close();
    });

    async function linksOf(): Promise<string[]> {
      const reply = await archive.api.get(`/api/threads/${posted.threadId}`);
      if (reply.status !== 200) return [];
      const { messages } = reply.json() as ThreadDetail;
      const found = messages.find(({ id }) => id === posted.message.id);
      return (found?.attachments ?? []).map(({ url }) => new URL(url).pathname);
    }
    async function open(index: number, headers: Record<string, string> = {}): Promise<Reply> {
      const { id } = posted.message.attachments[index]!;
      return archive.api.get(`/attachments/${posted.message.id}/${id}`, headers);
    }
    const collections = () => archive.api.stores.mongo.collections;

    it('links to copies, also to pictures of people and servers', async () => {
      expect(await linksOf()).to.deep.equal(
        posted.message.attachments.map(({ id }) => `/attachments/${posted.message.id}/${id}`),
      );
      const { avatar } = await archive.json<UserProfile>(`/api/users/${posted.authorId}`);
      expect(new URL(avatar).pathname).to.equal(`/avatars/${posted.authorId}`);
      const thread = await archive.json<ThreadDetail>(`/api/threads/${posted.threadId}`);
      expect(thread.author.avatar).to.equal(avatar);
      await untilEqual(async () => {
        const { status, headers } = await archive.api.get(`/avatars/${posted.authorId}`);
        return [status, headers['content-type']];
      }, [200, 'image/png']);
      const { icon, iconUrl } = await archive.json<Server>(`/api/servers/${guildId}`);
      expect(iconUrl === null).to.equal(icon === null);
      if (icon) {
        await untilEqual(async () => (await archive.api.get(`/icons/${guildId}`)).status, 200);
      }
      expect((await archive.api.get('/avatars/1')).status).to.equal(404);
      expect((await archive.api.get('/icons/x')).status).to.equal(404);
    });

    it('sends a copy with its type and name, and a 304 to a client that has it', async () => {
      const { id } = posted.message.attachments[0]!;
      const { status, headers, body } = await open(0);
      expect(status).to.equal(200);
      expect(body.equals(Buffer.alloc(5_000, `${id}\n`))).to.equal(true);
      expect(headers).to.include({
        'content-type': 'image/png',
        'content-length': '5000',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['content-disposition']).to.match(
        /^inline; filename="[\w .()-]+"; filename\*=/,
      );
      expect(headers['content-disposition']).to.contain("UTF-8''na%C3%AFve");
      expect(headers).not.to.have.property('content-encoding');
      const again = await open(0, { 'If-None-Match': String(headers.etag) });
      expect([again.status, again.body.length]).to.deep.equal([304, 0]);
      const head = await archive.api.send('HEAD', `/attachments/${posted.message.id}/${id}`);
      expect([head.status, head.headers['content-length'], head.body.length]).to.deep.equal([
        200,
        '5000',
        0,
      ]);
    });

    it('sends the part of a copy that is asked for, as players of films do', async () => {
      const whole = await open(0);
      const etag = String(whole.headers.etag);
      expect(whole.headers['accept-ranges']).to.equal('bytes');
      expect(whole.headers).not.to.have.property('content-range');
      for (const [range, from, to] of [
        ['bytes=0-1', 0, 1],
        ['bytes=4990-', 4_990, 4_999],
        ['bytes=-7', 4_993, 4_999],
        ['bytes=100-9000', 100, 4_999],
      ] as const) {
        const part = await open(0, { Range: range, 'If-Range': etag });
        expect([part.status, part.headers['content-range']], range).to.deep.equal([
          206,
          `bytes ${from}-${to}/5000`,
        ]);
        expect(part.headers).to.include({ etag, 'content-length': String(to + 1 - from) });
        expect(part.body.equals(whole.body.subarray(from, to + 1)), range).to.equal(true);
      }
      const held = await open(0, { Range: 'bytes=0-1', 'If-None-Match': etag });
      expect([held.status, held.headers['content-range']]).to.deep.equal([304, undefined]);
      const { id } = posted.message.attachments[0]!;
      const path = `/attachments/${posted.message.id}/${id}`;
      const head = await archive.api.send('HEAD', path, { Range: 'bytes=0-1' });
      expect([head.status, head.headers['content-length']]).to.deep.equal([200, '5000']);
      const behind = await open(0, { Range: 'bytes=5000-' });
      expect([behind.status, behind.headers['content-range']]).to.deep.equal([416, 'bytes */5000']);
      expect(behind.json()).to.deep.equal({
        error: 'The file has 5000 bytes',
        code: 'RANGE_NOT_SATISFIABLE',
      });
    });

    it('lets no file run anything', async () => {
      const { headers } = await open(1);
      expect(headers['content-disposition']).to.match(/^attachment; /);
      expect(headers['content-security-policy']).to.match(/default-src 'none'.*sandbox/);
      // A page would run this as a script if it had the type of one.
      expect((await open(3)).headers['content-type']).to.equal('text/plain; charset=utf-8');
    });

    it('redirects to a fresh link where there is no copy', async () => {
      const { status, headers } = await open(2);
      expect(status).to.equal(302);
      expect(discord.isFreshLink(String(headers.location))).to.equal(true);
      expect(headers['cache-control']).to.equal('no-store');
    });

    it('tells the state of the mirror', async () => {
      const stats = () => archive.json<AdminStats>('/admin/stats');
      await untilEqual(async () => (await stats()).mirror?.waiting, 0);
      const { mirror } = await stats();
      expect(mirror!.files).to.be.above(2);
      expect(mirror!.bytes).to.be.above(5_000);
      const { stdout } = await archive.cli('status');
      expect(stdout).to.match(/Mirrored files: +\d+ \(\d/);
    });

    it('sends no copy from the moment on at which it may not be shown', async () => {
      const { channels, messages, work } = collections();
      const { channelId, message, authorId } = posted;
      const hidden = { $set: { withheldAt: new Date() } };
      await channels.updateOne({ _id: channelId }, hidden);
      expect((await open(0)).status).to.equal(404);
      await channels.updateOne({ _id: channelId }, { $unset: { withheldAt: '' } });
      await messages.updateOne({ _id: message.id }, { $set: { deleted: true } });
      expect((await open(0)).status).to.equal(404);
      await messages.updateOne({ _id: message.id }, { $unset: { deleted: '' } });
      await leaveOut(archive.api.stores.mongo, guildId, authorId, true);
      expect((await open(0)).status).to.equal(404);
      expect((await archive.api.get(`/avatars/${authorId}`)).status).to.equal(404);
      await leaveOut(archive.api.stores.mongo, guildId, authorId, false);
      expect((await open(0)).status).to.equal(200);
      expect(await work.countDocuments({ kind: 'mirror' })).to.equal(0);
    });

    it('sends no copy whose length differs from its record', async () => {
      const { id } = posted.message.attachments[0]!;
      const _id = fileRecordId(`attachments/${posted.message.id}/${id}`);
      const files = syncOf(collections().sync, 'file');
      for (const bytes of [4_999, 5_001]) {
        await files.updateOne({ _id }, { $set: { 'copy.bytes': bytes } });
        expect((await open(0)).status).to.equal(302);
      }
      await files.updateOne({ _id }, { $set: { 'copy.bytes': 5_000 } });
      expect((await open(0)).status).to.equal(200);
    });

    it('sends copies while the platform is away, and nothing opens its links', async () => {
      await discord.close();
      expect((await open(0)).status).to.equal(200);
      expect((await open(2)).status).to.equal(503);
    });

    it('keeps no file of somebody who was erased', async () => {
      const { sync } = collections();
      const own = {
        kind: 'file' as const,
        of: { $in: [`user/${posted.authorId}`, `thread/${posted.threadId}`] },
      };
      expect(await sync.countDocuments(own)).to.equal(4);
      const { stdout, code } = await archive.cli('erase-user', posted.authorId);
      expect(code, stdout).to.equal(0);
      expect((await open(0)).status).to.equal(404);
      expect(await sync.countDocuments(own)).to.equal(0);
    });
  });
}
