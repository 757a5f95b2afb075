import { expect } from 'chai';
import { createReport } from '../../../services/local/report.js';

function stream(isTTY: boolean): {
  written: string[];
  isTTY: boolean;
  write(text: string): boolean;
} {
  const written: string[] = [];
  return { written, isTTY, write: (text) => written.push(text) > 0 };
}

describe('createReport', () => {
  it('overwrites progress in place on a terminal', () => {
    const out = stream(true);
    const report = createReport(out);
    report.progress('1%');
    report.progress('2%');
    report.line('done');
    expect(out.written.join('')).to.equal('\r\x1b[K1%\r\x1b[K2%\r\x1b[Kdone\n');
  });

  it('prints plain lines elsewhere, and no more than one progress line in a while', () => {
    const out = stream(false);
    const report = createReport(out);
    report.progress('1%');
    report.progress('2%');
    report.line('done');
    expect(out.written).to.deep.equal(['1%\n', 'done\n']);
  });
});
