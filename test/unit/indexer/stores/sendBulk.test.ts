import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import {
  SearchUnavailable,
  sendBulk,
  type Refusal,
  type Waiting,
} from '../../../../services/indexer/stores/sendBulk.js';
import { rejectionOf } from '../../../support/temporaryFolder.js';

interface Answered {
  status: number;
  error?: { type: string; reason: string };
}

const OK: Answered = { status: 201 };
const BUSY: Answered = { status: 429 };
const REFUSED: Answered = {
  status: 400,
  error: {
    type: 'document_parsing_exception',
    reason: "[1:2] failed to parse field [x]. Preview of field's value: 'my secret'",
  },
};

/** A client that answers for each document of a bulk request by its id, and records what was sent. */
function aClient(answer: (id: string, request: number) => Answered) {
  const requests: { ids: string[]; sources: { kind?: string }[] }[] = [];
  const bulk = ({ body }: { body: string }) => {
    const lines = body.trim().split('\n');
    type Line = { index?: { _id: string }; kind?: string };
    const parsed = lines.map((line) => JSON.parse(line) as Line);
    const ids = parsed.flatMap(({ index }) => (index ? [index._id] : []));
    requests.push({ ids, sources: parsed.filter((_, n) => n % 2 === 1) });
    const items = ids.map((id) => ({ index: { _id: id, ...answer(id, requests.length) } }));
    return Promise.resolve({ items });
  };
  return { client: { bulk } as unknown as Client, requests };
}

const waiting = (...ids: string[]): Waiting[] =>
  ids.map((id) => ({ id, threadId: '1', revision: 7, json: '{"kind":"message"}' }));

/** Sends documents. Before each request, it reads the next targets; the last ones stay. */
async function send(client: Client, documents: Waiting[], ...targets: string[][]) {
  const refused: Refusal[] = [];
  let next: string[] = [];
  const where = {
    namespace: 'a',
    readTargets: () => Promise.resolve((next = targets.shift() ?? next)),
  };
  await sendBulk(client, where, documents, (refusals) => {
    refused.push(...refusals);
    return Promise.resolve();
  });
  return refused;
}

describe('sendBulk', () => {
  it('writes only through aliases, so a dropped index never comes back without its mapping', async () => {
    const bodies: string[] = [];
    const bulk = ({ body }: { body: string }) => {
      bodies.push(body);
      return Promise.resolve({ items: [{ index: OK }] });
    };
    await send({ bulk } as unknown as Client, waiting('a'));
    const [head = ''] = bodies.join('').split('\n');
    expect(JSON.parse(head)).to.deep.include({
      index: {
        _index: 'a-search',
        _id: 'a',
        require_alias: true,
        version: 7,
        version_type: 'external',
      },
    });
  });

  it('counts a newer version in the index as success', async () => {
    const { client, requests } = aClient(() => ({ status: 409 }));
    expect(await send(client, waiting('a', 'b'))).to.deep.equal([]);
    expect(requests).to.have.length(1);
  });

  it('sends again only the documents that the index was too busy for', async () => {
    const { client, requests } = aClient((id, request) => (id === 'b' && request < 3 ? BUSY : OK));
    expect(await send(client, waiting('a', 'b', 'c'))).to.deep.equal([]);
    expect(requests.map(({ ids }) => ids)).to.deep.equal([['a', 'b', 'c'], ['b'], ['b']]);
  });

  it('sends each revision again that the index was too busy for, in whatever order they came', async () => {
    const { client, requests } = aClient((_, request) => (request === 1 ? BUSY : OK));
    const [one] = waiting('a');
    await send(client, [{ ...one!, revision: 8, json: '{"kind":"later"}' }, one!]);
    expect(requests[1]!.sources).to.deep.include.members([{ kind: 'later' }]);
  });

  it('throws when the index stays busy, so that the mark stays', async () => {
    const { client } = aClient((id) => (id === 'b' ? { status: 503 } : OK));
    const error: unknown = await send(client, waiting('a', 'b')).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(SearchUnavailable).with.property('message').that.includes('503');
  });

  it('tells why the index accepts nothing, such as a full disk', async () => {
    const reason =
      'index [a-search-1] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];';
    const full = { status: 429, error: { type: 'cluster_block_exception', reason } };
    const { client } = aClient(() => full);
    expect(await rejectionOf(send(client, waiting('thread-1')))).to.equal(
      `The search index answered 429 for thread-1: cluster_block_exception: ${reason}`,
    );
  });

  it('tells only the type of any other error, as its reason may quote what somebody wrote', async () => {
    const error = { type: 'mapper_exception', reason: "cannot take 'my secret'" };
    const { client } = aClient(() => ({ status: 500, error }));
    expect(await rejectionOf(send(client, waiting('thread-1')))).to.equal(
      'The search index answered 500 for thread-1: mapper_exception',
    );
  });

  it('throws at once where the alias leads nowhere', async () => {
    const { client, requests } = aClient(() => ({ status: 404 }));
    const error: unknown = await send(client, waiting('a')).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(SearchUnavailable);
    expect(requests).to.have.length(1);
  });

  it('sends again documents that went to an index which was dropped meanwhile', async () => {
    const { client, requests } = aClient((_, request) => (request === 1 ? { status: 404 } : OK));
    expect(await send(client, waiting('a'), ['one', 'two'], ['one'])).to.deep.equal([]);
    expect(requests.map(({ ids }) => ids)).to.deep.equal([['a', 'a'], ['a']]);
  });

  it('reports a refused document without quoting it, and leaves a tombstone in its place', async () => {
    const { client, requests } = aClient((id, request) =>
      id === 'message-2' && request === 1 ? REFUSED : OK,
    );
    const refused = await send(client, waiting('message-1', 'message-2', 'message-3'));
    expect(refused).to.deep.equal([
      {
        id: 'message-2',
        threadId: '1',
        revision: 7,
        reason: 'document_parsing_exception: [1:2] failed to parse field [x].',
      },
    ]);
    expect(requests[1]).to.deep.equal({
      ids: ['message-2'],
      sources: [{ kind: 'tombstone', idKey: '00000000000000000002', threadId: '1' }],
    });
  });

  it('gives up where even the tombstone is refused', async () => {
    const { client, requests } = aClient(() => REFUSED);
    expect(await send(client, waiting('message-1'))).to.have.length(1);
    expect(requests).to.have.length(2);
  });
});
