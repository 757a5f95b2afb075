import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createProgress } from '../../../services/cli/progress.js';

const shown = (done: number, total: number): string => `${done} of ${total}`;

/** A terminal, or what else output may go to, with all that was sent to it. */
function anOutput(
  isTTY: boolean,
  columns: number,
): { out: NodeJS.WriteStream; sent: () => string } {
  let text = '';
  const stream = new Writable({
    write(piece, _encoding, done) {
      text += String(piece);
      done();
    },
  });
  const out = Object.assign(stream, { isTTY, columns }) as unknown as NodeJS.WriteStream;
  return { out, sent: () => text };
}

/** What is sent while lines are printed beside a progress of 3 out of 10. */
function sentTo(isTTY: boolean): string {
  const { out, sent } = anOutput(isTTY, 80);
  const progress = createProgress('Work', 10, shown, out);
  progress.advance(3);
  progress.say('Something is missing');
  progress.stop();
  return sent();
}

describe('createProgress', () => {
  it('clears the bar of a terminal for a line, and draws it again below', () => {
    const [before, after] = sentTo(true).split('Something is missing\n');
    // The cursor is at the start of the bar, and its line is cleared.
    expect(before).to.match(/Work \[.*\r\u001b\[K$/);
    expect(after).to.contain('Work [').and.contain('3 of 10');
  });

  it('keeps the longest line within 80 columns', () => {
    const { out, sent } = anOutput(true, 200);
    const show = (): string => '20000.0 of 20000.0 MB';
    createProgress('Checking and storing', 1, show, out).stop();
    const line = /Checking and storing \[.* MB/.exec(sent())?.[0];
    // It ends with 100 % in place of 0 %.
    expect(line).to.have.length.within(60, 80 - 2);
  });

  it('writes plain lines elsewhere', () => {
    expect(sentTo(false)).to.equal('Something is missing\n');
  });
});
