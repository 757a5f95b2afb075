import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { createProgress } from '../../../services/cli/progress.js';

const shown = (done: number, total: number): string => `${done} of ${total}`;

/** What is sent to a terminal while lines are printed beside a progress of 3 out of 10. */
function sentTo(isTTY: boolean): string {
  const out = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const progress = createProgress('Work', 10, shown, out as unknown as NodeJS.WriteStream);
  progress.advance(3);
  progress.say('Something is missing');
  progress.stop();
  return String(out.read() ?? '');
}

describe('createProgress', () => {
  it('clears the bar of a terminal for a line, and draws it again below', () => {
    const [before, after] = sentTo(true).split('Something is missing\n');
    // The cursor is at the start of the bar, and its line is cleared.
    expect(before).to.match(/Work \[.*\r\u001b\[K$/);
    expect(after).to.contain('Work [').and.contain('3 of 10');
  });

  it('keeps the longest line within 80 columns', () => {
    const out = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
    const show = (): string => '20000.0 of 20000.0 MB';
    createProgress('Checking and storing', 1, show, out as unknown as NodeJS.WriteStream).stop();
    const line = /Checking and storing \[.* MB/.exec(String(out.read()))?.[0];
    // It ends with 100 % in place of 0 %.
    expect(line).to.have.length.within(60, 80 - 2);
  });

  it('writes plain lines elsewhere', () => {
    expect(sentTo(false)).to.equal('Something is missing\n');
  });
});
