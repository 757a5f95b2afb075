import { expect } from 'chai';
import { mergeMessage } from '../../../../services/indexer/records/mergeMessage.js';
import type { MessageRecord, SourceMessage } from '../../../../shared/store/records.js';
import { liveTime } from '../../../../shared/store/sourceTime.js';
import { aSourceMessage, anAuthor, anId } from '../../../support/factories.js';

const MESSAGE_ID = anId();
const HEART = { id: null, name: '❤', animated: false };
const UNTOLD = { displayName: 0, reactors: 0 };
const LAST_EXPORT = Date.UTC(2199, 11, 31) * 1_000;

function said(content: string, asOf: number, more: Partial<SourceMessage> = {}): SourceMessage {
  return aSourceMessage({ _id: MESSAGE_ID, threadId: MESSAGE_ID, content, asOf, ...more });
}

/** A message as the platform's history tells it: without a nickname, and without who reacted. */
function live(content: string, at: number, more: Partial<SourceMessage> = {}): SourceMessage {
  return said(content, liveTime(Date.UTC(2026, 0, 1) * 1_000 + at), { partsAsOf: UNTOLD, ...more });
}

/** The result of some sources that are told in this order. */
function merged(sources: SourceMessage[]): SourceMessage {
  return sources.reduce((before, told) => mergeMessage(told, before as MessageRecord) ?? before);
}

/** The result of some sources. It checks that their order makes no difference. */
function mergedInAnyOrder(sources: SourceMessage[]): SourceMessage {
  const results = ordersOf(sources).map(merged);
  for (const result of results) expect(result).to.deep.equal(results[0]);
  expect(merged([...sources, ...sources])).to.deep.equal(results[0]);
  return results[0]!;
}

function ordersOf<T>(items: T[]): T[][] {
  if (items.length < 2) return [items];
  return items.flatMap((first, n) =>
    ordersOf(items.toSpliced(n, 1)).map((rest) => [first, ...rest]),
  );
}

describe('mergeMessage', () => {
  it('prefers live data to every export, whatever time the export claims', () => {
    const result = mergedInAnyOrder([
      said('old export', 1_000),
      live('live', 0),
      said('export from a clock ahead', LAST_EXPORT),
    ]);
    expect(result.content).to.equal('live');
  });

  it('prefers the later of two exports, and of two answers', () => {
    expect(mergedInAnyOrder([said('a', 1), said('b', 3), said('c', 2)]).content).to.equal('b');
    expect(mergedInAnyOrder([live('a', 1), live('b', 3), live('c', 2)]).content).to.equal('b');
  });

  it('keeps the nickname and who reacted from the last export that told them', () => {
    const told = (name: string, asOf: number, userIds: string[]) =>
      said('export', asOf, {
        author: anAuthor('ada', { displayName: name }),
        reactions: [{ emoji: HEART, count: 2, userIds }],
      });
    const result = mergedInAnyOrder([
      told('Nick', 1_000, ['1']),
      told('Newer nick', 2_000, ['1', '2']),
      live('live', 0, { reactions: [{ emoji: HEART, count: 2, userIds: [] }] }),
    ]);
    expect(result.author.displayName).to.equal('Newer nick');
    expect(result.reactions).to.deep.equal([{ emoji: HEART, count: 2, userIds: ['1', '2'] }]);
    expect(result.content).to.equal('live');
  });

  it('keeps a nickname from an event, whatever the history tells later', () => {
    const event = live('a', 1, {
      author: anAuthor('ada', { displayName: 'Nick' }),
      partsAsOf: { reactors: 0 },
    });
    const result = mergedInAnyOrder([event, live('a', 2), said('a', 1_000)]);
    expect(result.author.displayName).to.equal('Nick');
  });

  it('takes the same one of several nicknames of the same time, whatever is told between them', () => {
    const named = (displayName: string, content: string) =>
      said(content, 1_000, { author: anAuthor('ada', { displayName }) });
    const exports = [named('Ada', 'one'), named('Ida', 'two'), named('Eda', 'three')];
    for (const others of [[], [live('live', 0)]]) {
      const result = mergedInAnyOrder([...exports, ...others]);
      expect(result.author.displayName).to.equal('Ida');
    }
    mergedInAnyOrder([named('Ada', 'one'), named('Ida', 'one')]);
  });

  it('takes the same one of several account names of the same time, and else that of the later message', () => {
    const untold = (displayName: string, asOf: number) =>
      said('one', asOf, {
        author: anAuthor('ada', { displayName }),
        partsAsOf: { displayName: 0 },
      });
    const sameTime = ['Ada', 'Ida', 'Eda'].map((name) => untold(name, 1_000));
    expect(mergedInAnyOrder(sameTime).author.displayName).to.equal('Ida');
    const later = mergedInAnyOrder([...sameTime, untold('Augusta', 2_000)]);
    expect(later.author.displayName).to.equal('Augusta');
  });

  it('takes the same one of several texts of the same time, whatever nickname was told before', () => {
    const untold = (content: string) =>
      said(content, 2_000, {
        author: anAuthor('ada', { displayName: 'ada' }),
        partsAsOf: { displayName: 0 },
      });
    const texts = ['one', 'two', 'three'].map(untold);
    const { content } = mergedInAnyOrder(texts);
    for (const displayName of ['Ada', 'Ida', 'Eda', 'Oda', 'Uda', 'Yda']) {
      const nickname = said('older', 1_000, { author: anAuthor('ada', { displayName }) });
      const result = mergedInAnyOrder([nickname, ...texts]);
      expect(result).to.deep.include({ content, author: nickname.author });
    }
  });

  it('does not give the nickname of a deleted account to the author whom the platform names then', () => {
    const ada = said('a', 1_000, { author: anAuthor('ada', { displayName: 'Countess' }) });
    const gone = anAuthor('Deleted User', { displayName: 'Deleted User' });
    const result = mergedInAnyOrder([ada, live('a', 0, { author: gone })]);
    expect(result.author).to.deep.equal(gone);
  });

  it('keeps the names of mentioned people from an event, whatever the history tells later', () => {
    const mentions = (...names: string[]) => ({
      mentions: names.map((displayName, n) => ({
        id: `${n + 1}`,
        username: `user${n + 1}`,
        displayName,
        isBot: false,
      })),
    });
    const untold = { ...UNTOLD, mentionNames: 0 };
    const event = live('a', 1, { ...mentions('Nick'), partsAsOf: { reactors: 0 } });
    const history = live('a', 2, { ...mentions('Global'), partsAsOf: untold });
    const edited = live('b', 3, {
      ...mentions('Global', 'Other'),
      partsAsOf: untold,
      editedAt: new Date('2026-01-02T00:00:00Z'),
    });
    const result = mergedInAnyOrder([event, history, edited, said('a', 1_000)]);
    expect(result.content).to.equal('b');
    expect(result.mentions.map(({ displayName }) => displayName)).to.deep.equal(['Nick', 'Other']);
  });

  it('keeps the names of an event beside a text that was edited later but told earlier', () => {
    const named = (displayName: string) => ({
      mentions: [{ id: '1', username: 'ada', displayName, isBot: false }],
    });
    const edited = live('b', 1, {
      ...named('Global'),
      partsAsOf: { ...UNTOLD, mentionNames: 0 },
      editedAt: new Date('2026-01-02T00:00:00Z'),
    });
    const event = live('a', 2, { ...named('Nick'), partsAsOf: { reactors: 0 } });
    const result = mergedInAnyOrder([edited, event]);
    expect(result.content).to.equal('b');
    expect(result.mentions[0]?.displayName).to.equal('Nick');
  });

  it('drops the people who reacted where they are more than the reactions', () => {
    const before = said('a', 1, { reactions: [{ emoji: HEART, count: 2, userIds: ['1', '2'] }] });
    const after = live('a', 1, { reactions: [{ emoji: HEART, count: 1, userIds: [] }] });
    expect(mergedInAnyOrder([before, after]).reactions).to.deep.equal([
      { emoji: HEART, count: 1, userIds: [] },
    ]);
  });

  it('takes the later edited of two live texts, and the rest of the later answer', () => {
    const edited = live('edited', 1, { editedAt: new Date('2026-01-02T00:00:00Z') });
    const late = live('as it was before', 2, {
      pinned: true,
      reactions: [{ emoji: HEART, count: 1, userIds: [] }],
    });
    const result = mergedInAnyOrder([edited, late, live('first', 0)]);
    expect(result).to.include({ content: 'edited', pinned: true });
    expect(result.editedAt).to.deep.equal(edited.editedAt);
    expect(result.reactions).to.have.length(1);
  });

  it('does not believe the time of an edit that an export claims', () => {
    const forged = said('forged', 2_000, { editedAt: new Date('2199-01-01T00:00:00Z') });
    expect(mergedInAnyOrder([forged, live('live', 0)]).content).to.equal('live');
  });

  it('keeps nothing of what was erased', () => {
    const before = said('export', 1_000, { author: anAuthor('ada', { displayName: 'Nick' }) });
    const erased = { ...live('', 1, { author: anAuthor('deleted-user') }), deleted: true };
    expect(mergeMessage(erased, before as MessageRecord)).to.equal(erased);
    expect(mergeMessage({ ...before, deleted: true }, live('x', 1) as MessageRecord)).to.equal(
      null,
    );
  });

  it('changes nothing where everything was told before', () => {
    const message = live('a', 1);
    expect(mergeMessage(message, message as MessageRecord)).to.equal(null);
    expect(mergeMessage(live('a', 0), message as MessageRecord)).to.equal(null);
  });
});
