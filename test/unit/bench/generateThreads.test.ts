import { expect } from 'chai';
import {
  generatePlaces,
  generateThreads,
  LONGEST_THREAD,
  type GeneratedThread,
} from '../../../bench/archive/generateThreads.js';
import { threadViews } from '../../../bench/archive/fillArchive.js';

const MESSAGES = 6_000;

describe('the generated archive', () => {
  let threads: GeneratedThread[];

  before(() => {
    threads = [...generateThreads(MESSAGES)];
  });

  const messages = () => threads.flatMap((one) => one.messages);

  it('has exactly so many messages, each with an id of its own', () => {
    expect(messages()).to.have.lengthOf(MESSAGES);
    expect(new Set(messages().map(({ _id }) => _id))).to.have.property('size', MESSAGES);
    expect(new Set(threads.map(({ thread }) => thread._id)).size).to.equal(threads.length);
  });

  it('is the same every time, and a larger one begins the same', () => {
    expect([...generateThreads(300)]).to.deep.equal([...generateThreads(300)]);
    const [smaller, larger] = [[...generateThreads(300)], [...generateThreads(500)]];
    // The last thread of the smaller archive is cut short.
    const whole = smaller.slice(0, -1);
    expect(larger.slice(0, whole.length)).to.deep.equal(whole);
  });

  it('has mostly short threads and a few long ones, the longest bounded', () => {
    const lengths = threads.map((one) => one.messages.length).toSorted((a, b) => a - b);
    expect(lengths[0]).to.equal(1);
    expect(lengths[lengths.length >> 1]).to.be.within(3, 5);
    expect(MESSAGES / threads.length).to.be.within(8, 12);
    expect(lengths.at(-1)).to.be.within(100, LONGEST_THREAD);
  });

  it('has few authors who write much', () => {
    const counts = new Map<string, number>();
    for (const { author } of messages()) counts.set(author.id, (counts.get(author.id) ?? 0) + 1);
    const sorted = [...counts.values()].toSorted((a, b) => b - a);
    expect(sorted[0]! / MESSAGES).to.be.greaterThan(0.04);
    expect(sorted.length).to.be.greaterThan(500);
  });

  it('has every status, code, links, mentions, attachments, embeds, reactions and replies', () => {
    const statuses = new Set(threads.map((one) => threadViews(one).item.facts.status));
    expect([...statuses].toSorted()).to.deep.equal(['archived', 'locked', 'open', 'resolved']);
    const all = messages();
    for (const has of [
      all.some(({ content }) => content.includes('```js')),
      all.some(({ content }) => content.includes('https://example.org/')),
      all.some(({ content, mentions }) => content.startsWith('<@') && mentions.length > 0),
      all.some(({ attachments }) => attachments.length > 0),
      all.some(({ embeds }) => embeds.length > 0),
      all.some(({ reactions }) => reactions.length > 0),
      all.some(({ reference }) => reference?.type === 'reply'),
      all.some(({ author }) => author.isBot),
      all.some(({ editedAt }) => editedAt !== null),
    ]) {
      expect(has).to.equal(true);
    }
  });

  it('links only to threads that come earlier', () => {
    const seen = new Set<string>();
    let links = 0;
    for (const { thread, linked } of threads) {
      for (const id of linked.keys()) expect(seen.has(id), id).to.equal(true);
      links += linked.size;
      seen.add(thread._id);
    }
    expect(links).to.be.greaterThan(50);
  });

  it('uses the channels of every server', () => {
    const { servers } = generatePlaces();
    expect(new Set(threads.map(({ thread }) => thread.serverId)).size).to.equal(servers.length);
  });
});
