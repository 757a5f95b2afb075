import { Readable } from 'node:stream';
import { expect } from 'chai';
import { jsonAnswer } from '../../../../services/api/answer.js';
import { outcomeBytes, type Outcome } from '../../../../services/api/http/findKept.js';
import { ResponseCache } from '../../../../services/api/http/responseCache.js';
import { AppError } from '../../../../shared/contract/errors.js';
import { until } from '../../../support/apiServer.js';
import { heldBytes } from '../../../support/heldBytes.js';

const ENTRIES = 20_000;

describe('the memory of small answers that are kept', () => {
  const cases: Record<string, (n: number) => Outcome> = {
    'answers of 100 bytes': (n) => jsonAnswer({ text: `${n}`.padStart(88, 'x') }),
    'what was not found': () => new AppError('NOT_FOUND', 'Thread not found'),
  };
  for (const [name, make] of Object.entries(cases)) {
    it(`is counted: ${name}`, async () => {
      const before = heldBytes();
      const cache = new ResponseCache<Outcome>({ maxBytes: 2 ** 30, sizeOf: outcomeBytes });
      cache.resume();
      for (let n = 0; n < ENTRIES; n += 1) {
        const id = 10n ** 18n + BigInt(n);
        const load = () => Promise.resolve(make(n));
        await cache.load(`/api/threads/${id}`, { tags: [`thread/${id}`] }, load);
      }
      expect(cache.size.entries).to.equal(ENTRIES);
      await until(() => heldBytes() - before < cache.size.bytes);
    });
  }
});

describe('the memory of what is not kept', () => {
  const MOST = 2 ** 20;

  it('is not counted, but that of every form of what is kept', () => {
    const answer = { etag: 'x', length: 3 };
    const [identity, gzip] = [Buffer.alloc(3), Buffer.alloc(5)];
    expect(outcomeBytes({ ...answer, identity, gzip })).to.equal(8);
    const openGzip = () => Readable.from([]);
    expect(outcomeBytes({ ...answer, openGzip }), 'too large to be held').to.equal(undefined);
    const cached = { state: 'BYPASS', expiresAt: 0 } as const;
    expect(outcomeBytes({ ...answer, gzip, cached }), 'for one reader').to.equal(undefined);
  });

  for (const [what, bytes] of Object.entries({ 'left the cache': 1_000, 'is too large': MOST })) {
    it(`is free where a value ${what}`, async () => {
      const sizeOf = () => bytes;
      const cache = new ResponseCache<object>({ maxBytes: MOST, sizeOf });
      const before = heldBytes();
      for (let n = 0; n < 10 * ENTRIES; n += 1) {
        await cache.load(`key ${n}`, { tags: [`tag ${n}`] }, () => Promise.resolve({}));
      }
      await until(() => heldBytes() - before < 8 * MOST);
      // The cache is used once more, so that it is not freed as a whole before its memory is measured.
      expect(cache.size.bytes).to.be.at.most(MOST);
    });
  }
});
