import { expect } from 'chai';
import type { ThreadEvent } from '../../../../services/indexer/gateway/gatewayEvents.js';
import { groupEvents, type TimedEvent } from '../../../../services/indexer/gateway/groupEvents.js';

let asOf = 0;
const timed = (event: object): TimedEvent => ({ event: event as ThreadEvent, asOf: (asOf += 1) });
const said = (id: string) => timed({ kind: 'message', message: { id } });
const reacted = (messageId: string) => timed({ kind: 'reacted', messageId });
const deleted = (...messageIds: string[]) => timed({ kind: 'messagesDeleted', messageIds });
const told = () => timed({ kind: 'thread' });
const gone = () => timed({ kind: 'threadDeleted' });

describe('groupEvents', () => {
  const [a, b, c, d] = [said('1'), reacted('9'), said('2'), reacted('8')];

  it('groups events about different messages', () => {
    expect(groupEvents([a, b, c, d])).to.deep.equal([
      [a, c],
      [b, d],
    ]);
  });

  it('keeps the events of one message in order', () => {
    const events = [said('1'), reacted('1'), said('1'), deleted('2', '1'), said('2')];
    expect(groupEvents(events)).to.deep.equal(events.map((one) => [one]));
    const [first, like, other, edit] = [said('1'), reacted('1'), said('2'), said('1')];
    expect(groupEvents([first, like, other, edit])).to.deep.equal([[first, other], [like], [edit]]);
  });

  it('groups facts about the thread only where nothing was told between them', () => {
    const [first, second, last] = [told(), told(), told()];
    expect(groupEvents([first, second, a, c, last, b])).to.deep.equal([
      [first, second],
      [a, c],
      [last],
      [b],
    ]);
  });

  it('records nothing older than the deletion of the thread which it followed', () => {
    const end = gone();
    expect(groupEvents([a, end, c])).to.deep.equal([[a], [end], [c]]);
  });
});
