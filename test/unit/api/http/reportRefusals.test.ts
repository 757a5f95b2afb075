import { expect } from 'chai';
import { pino } from 'pino';
import { reportRefusals } from '../../../../services/api/http/reportRefusals.js';

describe('reportRefusals', () => {
  it('counts each connection that is closed, and logs the reason once', () => {
    const lines: string[] = [];
    const closed: string[] = [];
    const statuses: number[] = [];
    const report = reportRefusals(
      {
        countClosed: (tooMany) => void closed.push(tooMany),
        observeRequest: ({ status }) => void statuses.push(status),
      },
      pino({}, { write: (line) => void lines.push(line) }),
    );
    report({ tooMany: 'address' });
    report({ tooMany: 'address' });
    report({ tooMany: 'all' });
    report({ status: 408 });
    expect(closed).to.deep.equal(['address', 'address', 'all']);
    expect(statuses).to.deep.equal([408]);
    expect(lines).to.have.length(2);
    expect(lines[0]).to.contain('TRUST_PROXY');
  });
});
