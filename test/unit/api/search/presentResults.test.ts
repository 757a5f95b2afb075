import { expect } from 'chai';
import { presentResults, type Hit } from '../../../../services/api/search/presentResults.js';
import { aThread } from '../../../support/searchDocuments.js';

function hit(source: NonNullable<Hit['_source']>, more: Partial<Hit> = {}): Hit {
  return { _index: 'test', _id: source.idKey, _score: 0.5, _source: source, ...more };
}

const present = (hits: Hit[], passages = new Map<string, string>()) =>
  presentResults(hits, passages, (given) => given);

describe('presentResults', () => {
  it('splits the ranking into threads and messages, each in its order', () => {
    const [first, reply] = aThread({ title: 'First', messages: ['hello'] });
    const [second] = aThread({ title: 'Second' });
    const { threads, messages } = present([hit(second), hit(reply!), hit(first)]);
    expect(threads.map(({ title }) => title)).to.deep.equal(['Second', 'First']);
    expect(messages.map(({ content }) => content)).to.deep.equal(['hello']);
  });

  it('shows a thread’s and a message’s every field', () => {
    const [thread, message] = aThread({ title: 'First', messages: ['hello'], tags: ['Solved'] });
    const { threads, messages } = present([hit(thread), hit(message!)]);
    expect(threads[0]).to.have.all.keys(
      'id',
      'title',
      'slug',
      'preview',
      'status',
      'author',
      'tags',
      'serverId',
      'channelId',
      'channelName',
      'messageCount',
      'score',
      'highlights',
      'createdAt',
    );
    expect(threads[0]).to.deep.include({ id: thread.threadId, tags: ['Solved'], messageCount: 1 });
    expect(messages[0]).to.have.all.keys(
      'id',
      'content',
      'contentPreview',
      'threadId',
      'threadTitle',
      'author',
      'serverId',
      'channelId',
      'channelName',
      'score',
      'highlights',
      'createdAt',
    );
    expect(messages[0]).to.include({ threadId: thread.threadId, threadTitle: 'First' });
  });

  it('previews 200 characters, never half of one', () => {
    const [, message] = aThread({ title: 'First', messages: ['👍'.repeat(300)] });
    expect(present([hit(message!)]).messages[0]!.contentPreview).to.equal('👍'.repeat(200));
  });

  it('shows a message as it is written, and previews it as readers see it', () => {
    const [, message] = aThread({ title: 'First', messages: ['hello @Bob'] });
    const source = { ...message!, markdown: 'hello <@1>' };
    expect(present([hit(source)]).messages[0]).to.include({
      content: 'hello <@1>',
      contentPreview: 'hello @Bob',
    });
  });

  it('shows a thread by a passage of its best message, and a message by its own', () => {
    const [thread, message] = aThread({ title: 'First', messages: ['hello'] });
    const passages = new Map([[thread.threadId, '<mark>hello</mark>']]);
    const highlight = { content: ['<mark>own</mark>'] };
    const { threads, messages } = present([hit(message!, { highlight }), hit(thread)], passages);
    expect(threads[0]!.highlights).to.deep.equal({ content: '<mark>hello</mark>' });
    expect(messages[0]!.highlights).to.deep.equal({ content: '<mark>own</mark>' });
  });

  it('leaves slashes readable in highlights and everything else escaped', () => {
    const [thread] = aThread({ title: 'First' });
    const highlight = { title: ['&lt;<mark>b</mark>&gt; a&#x2F;b'] };
    expect(present([hit(thread, { highlight })]).threads[0]!.highlights).to.deep.equal({
      title: '&lt;<mark>b</mark>&gt; a/b',
    });
  });
});
