import { mock } from 'node:test';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import {
  createSearchWriter,
  onlyChanged,
} from '../../../../services/indexer/stores/searchWriter.js';
import { createSentDocuments } from '../../../../services/indexer/stores/sentDocuments.js';
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

  it('sends what has gathered long enough once one of two requests ends, and each batch once', async () => {
    const timers: (() => void)[] = [];
    const clock = mock.method(globalThis, 'setTimeout', (run: () => void) => timers.push(run));
    try {
      const slow = aSlowClient();
      const where = { namespace: 'a', readTargets: () => Promise.resolve([]) };
      const search = createSearchWriter(slow.client, where, () => Promise.resolve());
      let written = 0;
      const write = (length: number) => {
        const [, message] = aThread({ title: 'One', messages: ['x'.repeat(length)] });
        void search.write([message!], 1).then(() => (written += 1));
      };
      const underWay = async () => {
        for (let n = 0; n < 20; n += 1) await turn();
        return slow.underWay();
      };
      for (const length of [250_000, 250_000, 1]) write(length);
      for (const gathered of timers) gathered();
      expect(await underWay()).to.equal(2);
      slow.endNext();
      expect(await underWay()).to.equal(2);
      slow.endNext();
      slow.endNext();
      expect(await underWay()).to.equal(0);
      expect(written).to.equal(3);
      // A full batch is not sent again when it would have gathered long enough, so none counts as under way for ever.
      write(250_000);
      timers.at(-1)!();
      expect(await underWay()).to.equal(1);
      slow.endNext();
      expect(await underWay()).to.equal(0);
      for (const sent of [1, 2]) {
        write(1);
        timers.at(-1)!();
        expect(await underWay()).to.equal(sent);
      }
      slow.endNext();
      slow.endNext();
      expect(await underWay()).to.equal(0);
      expect(written).to.equal(6);
    } finally {
      clock.mock.restore();
    }
  });
});

describe('onlyChanged', () => {
  it('sends each document once, as the index takes one of a version, and leaves the rest to the next build', async () => {
    const bodies: string[] = [];
    const bulk = ({ body }: { body: string }) => {
      bodies.push(body);
      const documents = body.trim().split('\n').length / 2;
      const items = Array.from({ length: documents }, () => ({ index: { status: 201 } }));
      return Promise.resolve({ items });
    };
    const where = { namespace: 'a', readTargets: () => Promise.resolve([]) };
    const client = { bulk } as unknown as Client;
    const search = createSearchWriter(client, where, () => Promise.resolve());
    const [, message] = aThread({ title: 'One', messages: ['Earlier words'] });
    const later = { ...message!, content: 'Later words' };
    const first = createSentDocuments(undefined);
    const one = onlyChanged(search, first);
    await one.write([message!], 1);
    await one.write([later], 1);
    const second = createSentDocuments(first.noted());
    await onlyChanged(search, second).write([later], 2);
    const sent = bodies.map((body) =>
      /"version":(\d).*(Earlier|Later) words/s.exec(body)?.slice(1),
    );
    expect(sent).to.deep.equal([
      ['1', 'Earlier'],
      ['2', 'Later'],
    ]);
  });
});
