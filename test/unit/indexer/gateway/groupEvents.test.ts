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
    const events = [deleted('1'), said('1'), reacted('1'), said('1')];
    expect(groupEvents(events)).to.deep.equal(events.map((one) => [one]));
    const [first, like, other, edit] = [said('1'), reacted('1'), said('2'), said('1')];
    expect(groupEvents([first, like, other, edit])).to.deep.equal([[first, other], [like], [edit]]);
  });

  it('groups facts about the thread only where nothing was told between them', () => {
    const [first, second, last, end] = [told(), told(), told(), said('4')];
    expect(groupEvents([first, second, a, c, last, b, end])).to.deep.equal([
      [first, second],
      [a, c],
      [last],
      [b],
      [end],
    ]);
  });

  it('leaves out what is told of messages, and of the thread, before they are deleted', () => {
    const [end, other, late] = [deleted('2', '1'), said('3'), said('2')];
    expect(groupEvents([a, c, reacted('1'), other, end, late])).to.deep.equal([
      [other],
      [end],
      [late],
    ]);
    const last = gone();
    expect(groupEvents([told(), a, end, last, c])).to.deep.equal([[last], [c]]);
  });
});
