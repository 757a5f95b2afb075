import { expect } from 'chai';
import { presentResults, type Hit } from '../../../../services/api/search/presentResults.js';
import { aThread } from '../../../support/searchDocuments.js';

function hit(source: NonNullable<Hit['_source']>, more: Partial<Hit> = {}): Hit {
  return { _index: 'test', _id: source.idKey, _score: 0.5, _source: source, ...more };
}

describe('presentResults', () => {
  it('splits the ranking into threads and messages, each in its order', () => {
    const [first, reply] = aThread({ title: 'First', messages: ['hello'] });
    const [second] = aThread({ title: 'Second' });
    const { threads, messages } = presentResults([hit(second), hit(reply!), hit(first)]);
    expect(threads.map(({ title }) => title)).to.deep.equal(['Second', 'First']);
    expect(messages.map(({ content }) => content)).to.deep.equal(['hello']);
  });

  it('shows a thread’s and a message’s every field', () => {
    const [thread, message] = aThread({ title: 'First', messages: ['hello'], tags: ['Solved'] });
    const { threads, messages } = presentResults([hit(thread), hit(message!)]);
    expect(threads[0]).to.have.all.keys(
      ...['id', 'title', 'slug', 'preview', 'status', 'author', 'tags', 'serverId', 'channelId'],
      ...['channelName', 'messageCount', 'score', 'highlights', 'createdAt'],
    );
    expect(threads[0]).to.deep.include({ id: thread.threadId, tags: ['Solved'], messageCount: 1 });
    expect(messages[0]).to.have.all.keys(
      ...['id', 'content', 'contentPreview', 'threadId', 'threadTitle', 'author', 'serverId'],
      ...['channelId', 'channelName', 'score', 'highlights', 'createdAt'],
    );
    expect(messages[0]).to.include({ threadId: thread.threadId, threadTitle: 'First' });
  });

  it('previews 200 characters, never half of one', () => {
    const [, message] = aThread({ title: 'First', messages: ['👍'.repeat(300)] });
    expect(presentResults([hit(message!)]).messages[0]!.contentPreview).to.equal('👍'.repeat(200));
  });

  it('gives back the decimals that a 32-bit score lost', () => {
    const [thread] = aThread({ title: 'First' });
    const scored = hit(thread, { _score: Math.fround(0.7123) });
    expect(presentResults([scored]).threads[0]!.score).to.equal(0.7123);
  });

  it('leaves slashes readable in highlights and everything else escaped', () => {
    const [thread] = aThread({ title: 'First' });
    const highlight = { title: ['&lt;<mark>b</mark>&gt; a&#x2F;b'] };
    expect(presentResults([hit(thread, { highlight })]).threads[0]!.highlights).to.deep.equal({
      title: '&lt;<mark>b</mark>&gt; a/b',
    });
  });
});
