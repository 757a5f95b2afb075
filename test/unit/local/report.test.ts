import { expect } from 'chai';
import { createReport } from '../../../services/local/report.js';

/** A report to a stream, what was written to that, and a clock that goes on when it is told to. */
function reportTo(isTTY: boolean) {
  let written = '';
  let now = 0;
  performance.now = () => now;
  const report = createReport({
    isTTY,
    columns: 20,
    write(text) {
      written += String(text);
      return true;
    },
  });
  return { report, written: () => written, pass: (ms: number) => void (now += ms) };
}

describe('createReport', () => {
  afterEach(() => {
    Reflect.deleteProperty(performance, 'now');
  });

  it('overwrites progress in place on a terminal, not too often', () => {
    const { written, report, pass } = reportTo(true);
    report.progress('1%');
    pass(99);
    report.progress('2%');
    pass(1);
    report.progress('3%');
    report.line('a line');
    report.progress('4%');
    report.clear();
    expect(written()).to.equal('\r\x1b[K1%\r\x1b[K3%\r\x1b[Ka line\n\r\x1b[K4%\r\x1b[K');
  });

  it('cuts a progress line that is longer than the terminal is wide', () => {
    const { written, report } = reportTo(true);
    report.progress('x'.repeat(30));
    expect(written()).to.equal(`\r\x1b[K${'x'.repeat(19)}`);
  });

  it('prints plain lines on a terminal that knows no escape sequence', () => {
    process.env['TERM'] = 'dumb';
    const { written, report, pass } = reportTo(true);
    process.env['TERM'] = 'xterm';
    report.progress('1%');
    pass(5_000);
    report.progress('2%');
    report.line('a line');
    expect(written()).to.equal('2%\na line\n');
  });

  it('prints plain lines elsewhere, and a progress line every five seconds', () => {
    const { written, report, pass } = reportTo(false);
    report.progress('1%');
    report.line('a line');
    pass(5_000);
    report.progress('2%');
    report.progress('3%');
    report.clear();
    expect(written()).to.equal('a line\n2%\n');
  });
});
