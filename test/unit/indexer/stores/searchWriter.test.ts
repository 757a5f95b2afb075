import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { createSearchWriter } from '../../../../services/indexer/stores/searchWriter.js';
import { aThread } from '../../../support/searchDocuments.js';

/** A client whose bulk requests end in the order in which they came, each when it is told to. */
function aSlowClient() {
  const underWay: (() => void)[] = [];
  let most = 0;
  const bulk = async ({ body }: { body: string }) => {
    const documents = body.trim().split('\n').length / 2;
    await new Promise<void>((end) => {
      underWay.push(end);
      most = Math.max(most, underWay.length);
    });
    return { items: Array.from({ length: documents }, () => ({ index: { status: 201 } })) };
  };
  return {
    client: { bulk } as unknown as Client,
    most: () => most,
    endNext: () => underWay.shift()?.(),
    underWay: () => underWay.length,
  };
}

describe('createSearchWriter', () => {
  it('has at most eight full requests under way, and sends the rest in order', async () => {
    const slow = aSlowClient();
    const where = { namespace: 'a', readTargets: () => Promise.resolve([]) };
    const search = createSearchWriter(slow.client, where, () => Promise.resolve());
    const [, ...documents] = aThread({
      title: 'Long',
      messages: Array.from({ length: 60 }, () => 'x'.repeat(100_000)),
    });
    const state = { isWritten: false };
    const written = search.write(documents, 1).then(() => (state.isWritten = true));
    while (slow.underWay() < 8) await pause(1);
    expect(state.isWritten).to.equal(false);
    while (!state.isWritten) {
      slow.endNext();
      await pause(1);
    }
    await written;
    expect(slow.most()).to.equal(8);
  });
});
