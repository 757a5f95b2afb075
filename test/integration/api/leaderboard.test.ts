import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { keptCursors } from '../../../services/api/paging/cursors.js';
import { leaderboardSchema, type Leaderboard } from '../../../shared/contract/users.js';
import { startApi, until, type ApiServer } from '../../support/apiServer.js';
import { aRank, storeBody } from '../../support/apiViews.js';

const SERVER = '500';

describe('GET /leaderboard/:serverId', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
    const { collections } = api.stores.mongo;
    await storeBody(collections, `server/${SERVER}`, { id: SERVER, name: 'Zoë’s "server"' });
    await storeBody(collections, 'server/501', { id: '501', name: 'Empty' });
    await storeBody(collections, 'server/502', {}, { gone: true });
    await collections.ranks.insertMany([
      ...[9, 9, 9, 7, 7, 5, 1, 1, 1, 1].map((count, n) => aRank(SERVER, String(n + 1), count)),
      aRank(SERVER, '99', 8, { isBot: true }),
      aRank(SERVER, '3', 2, { board: 'reactions/week' }),
      aRank('501', '1', 4, { board: 'threads/all' }),
    ]);
  });
  after(() => api.close());

  async function ask(query = '', path = `/leaderboard/${SERVER}`): Promise<Leaderboard> {
    const reply = await api.get(`${path}?${query}`);
    expect(reply.status, reply.body.toString()).to.equal(200);
    expect(leaderboardSchema.validate(reply.json(), { convert: false }).error).to.equal(undefined);
    return reply.json() as Leaderboard;
  }

  it('ranks people by count, then id; equal counts share a rank', async () => {
    const board = await ask();
    expect(board).to.include({ serverId: SERVER, serverName: 'Zoë’s "server"', hasMore: false });
    expect(board).to.include({ type: 'messages', period: 'all', nextCursor: null });
    expect(board.leaderboard.map(({ rank }) => rank)).to.deep.equal([1, 1, 1, 4, 4, 6, 7, 7, 7, 7]);
    const ids = board.leaderboard.map(({ userId }) => Number(userId));
    expect(ids).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await ask('', `/api/leaderboard/${SERVER}`)).to.deep.equal(board);
  });

  for (const limit of [1, 2, 3, 7, 10, 11]) {
    it(`gives the same ranks over pages of ${limit}`, async () => {
      const whole = (await ask('excludeBots=false')).leaderboard;
      expect(whole.map(({ rank }) => rank)).to.deep.equal([1, 1, 1, 4, 5, 5, 7, 8, 8, 8, 8]);
      const walked: Leaderboard['leaderboard'][] = [];
      for (let cursor = ''; ;) {
        const page = await ask(`excludeBots=false&limit=${limit}${cursor}`);
        walked.push(page.leaderboard);
        expect(page.hasMore).to.equal(page.nextCursor !== null);
        if (page.nextCursor === null) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      expect(walked.flat()).to.deep.equal(whole);
      expect(walked.length).to.equal(Math.ceil(whole.length / limit));
    });
  }

  it('counts what the parameters ask for, in the period that they name', async () => {
    const { leaderboard } = await ask('type=reactions&period=week');
    expect(leaderboard).to.have.length(1);
    expect(leaderboard[0]).to.include({ rank: 1, userId: '3', count: 2 });
    expect((await ask('period=month')).leaderboard).to.deep.equal([]);
    expect((await ask('', '/leaderboard/501')).leaderboard).to.deep.equal([]);
  });

  it('names the server as it is called now', async () => {
    const { collections } = api.stores.mongo;
    for (const name of ['Before', 'After']) {
      await storeBody(collections, 'server/503', { id: '503', name });
      api.cache.clear();
      expect((await ask('', '/leaderboard/503')).serverName).to.equal(name);
    }
  });

  it('answers 404 for servers that are unknown or gone, and for texts that are no ids', async () => {
    for (const id of ['1', '502', 'abc', '500%2Fmessages', '%00', '1'.repeat(30)]) {
      const reply = await api.get(`/leaderboard/${id}`);
      expect(reply.status, id).to.equal(404);
      expect(reply.json()).to.deep.equal({ error: 'Server not found', code: 'NOT_FOUND' });
    }
  });

  it('refuses wrong values, and cursors of another board', async () => {
    const { nextCursor } = await ask('limit=2');
    for (const query of [
      'type=karma',
      'period=day',
      'excludeBots=maybe',
      'limit=0',
      'limit=101',
      'cursor=x',
      `type=threads&cursor=${String(nextCursor)}`,
      `excludeBots=false&cursor=${String(nextCursor)}`,
    ]) {
      const reply = await api.get(`/leaderboard/${SERVER}?${query}`);
      expect(reply.status, query).to.equal(400);
    }
    expect((await api.get(`/leaderboard/501?cursor=${String(nextCursor)}`)).status).to.equal(400);
  });

  it('accepts no rank that a reader made up, and only cursors of this archive', async () => {
    const board = `${SERVER}/messages/all/humans`;
    const position = `${'0'.repeat(20)} 0 999 9`;
    const forge = (digest: Buffer) =>
      Buffer.concat([digest.subarray(0, 12), Buffer.from(position)]).toString('base64url');
    const text = JSON.stringify([[board], position]);
    const forged = forge(createHash('sha256').update(text).digest());
    const refused = await api.get(`/leaderboard/${SERVER}?cursor=${forged}`);
    expect(refused.status).to.equal(400);
    expect(refused.json()).to.deep.include({ code: 'VALIDATION_ERROR' });
    const { collections } = api.stores.mongo;
    const { write } = await keptCursors(collections).open();
    const signed = await ask(`cursor=${write([board], position)}`);
    expect(signed.leaderboard[0]?.rank, 'of another process').to.equal(999);
    // Every process finds the same key, even where all begin at the same time.
    await collections.state.deleteMany({ _id: 'cursors' });
    const all = Array.from({ length: 20 }, () => keptCursors(collections).open());
    const written = (await Promise.all(all)).map((cursors) => cursors.write([board], position));
    expect(new Set(written).size).to.equal(1);
    // A process reads the key again when it is told that everything has changed, as after a restore.
    await api.announce({ everything: true });
    const refuses = async () =>
      (await api.get(`/leaderboard/${SERVER}?cursor=${write([board], position)}`)).status === 400;
    await until(refuses);
    expect((await ask(`cursor=${written[0]}`)).leaderboard[0]?.rank).to.equal(999);
  });

  it('reads a page at the cost of its lines', async () => {
    const { ranks } = api.stores.mongo.collections;
    const lines = Array.from({ length: 3_000 }, (_, n) => aRank('777', String(n + 1), n % 50));
    await ranks.insertMany(lines);
    await storeBody(api.stores.mongo.collections, 'server/777', { name: 'Large' });
    await api.stores.mongo.db.command({ profile: 2 });
    const { nextCursor } = await ask('limit=100', '/leaderboard/777');
    await ask(`limit=100&cursor=${String(nextCursor)}`, '/leaderboard/777');
    await api.stores.mongo.db.command({ profile: 0 });
    const seen = await api.stores.mongo.db
      .collection('system.profile')
      .find({ ns: `${api.stores.mongo.namespace}.ranks`, op: 'query' })
      .toArray();
    expect(seen).to.have.length(2);
    for (const { keysExamined, docsExamined, hasSortStage } of seen) {
      expect(keysExamined).to.be.at.most(105);
      expect(docsExamined).to.be.at.most(105);
      expect(hasSortStage).to.equal(undefined);
    }
  });
});
