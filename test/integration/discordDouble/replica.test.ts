import { GatewayIntentBits, type APIMessage, type APIThreadChannel } from 'discord-api-types/v10';
import { expect } from 'chai';
import { createRandom } from '../../faults/random.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { connect, type GatewayTestClient } from './gatewayClient.js';
import { read } from './restClient.js';

const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const SEEDS = [11, 12, 13, 14];

describe('What the platform double tells by events', () => {
  let double: DiscordDouble;
  let client: GatewayTestClient;

  afterEach(async () => {
    await client.close();
    await double.close();
  });

  for (const seed of SEEDS) {
    it(`is what it tells by requests, of seed ${seed}`, async () => {
      double = await startDiscord({
        seed,
        rateLimits: false,
        history: { threads: 3, messages: 5 },
      });
      client = await connect(double);
      await client.identify(Guilds | GuildMessages | MessageContent);
      await client.until('GUILD_CREATE');
      const random = createRandom(seed);
      for (let count = 0; count < 400; count += 1) {
        randomOperation(double.model, random, { keepsAccess: true });
      }
      double.model.createRole([...double.model.guilds.keys()][0]!, { name: 'A sign' });
      await client.until('GUILD_ROLE_CREATE');

      const { threads, messages } = replicaOf(client);
      expect(threads.size).to.be.above(2);
      for (const [threadId, thread] of threads) {
        expect(await read(double, `/channels/${threadId}`)).to.deep.include({
          name: thread.name,
          applied_tags: thread.applied_tags,
          flags: thread.flags,
          thread_metadata: thread.thread_metadata,
        });
        // Without the permission to read the history, events still come, but requests return nothing.
        if (!double.model.isPublic(thread.parent_id!)) continue;
        const found = (await read(
          double,
          `/channels/${threadId}/messages?limit=100`,
        )) as APIMessage[];
        const told = messages.filter(({ channel_id: channelId }) => channelId === threadId);
        expect(told.map(whatItSays)).to.have.deep.members(found.map(whatItSays));
      }
    });
  }
});

/** The threads that were created while a client listened, as its events tell them. */
function replicaOf({ events }: GatewayTestClient): {
  threads: Map<string, APIThreadChannel>;
  messages: APIMessage[];
} {
  const threads = new Map<string, APIThreadChannel>();
  const messages = new Map<string, APIMessage>();
  for (const { t, d } of events) {
    const id = String(d.id);
    if (t === 'THREAD_CREATE') threads.set(id, d as unknown as APIThreadChannel);
    if (t === 'THREAD_UPDATE' && threads.has(id)) threads.set(id, d as unknown as APIThreadChannel);
    if (t === 'THREAD_DELETE') threads.delete(id);
    if (t === 'MESSAGE_CREATE' || t === 'MESSAGE_UPDATE') {
      messages.set(id, d as unknown as APIMessage);
    }
    if (t === 'MESSAGE_DELETE') messages.delete(id);
    if (t === 'MESSAGE_DELETE_BULK') for (const one of d.ids as string[]) messages.delete(one);
  }
  return { threads, messages: [...messages.values()] };
}

function whatItSays({ id, type, content, edited_timestamp: edited, pinned }: APIMessage): unknown {
  return [id, type, content, edited, pinned];
}
