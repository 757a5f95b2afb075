import { expect } from 'chai';
import { format } from 'oxfmt';
import type { LoadResult } from '../../../bench/load/runLoad.js';
import { markdownTable, processTable, ratioTable } from '../../../bench/report.js';

function aRun(more: Partial<LoadResult> = {}): LoadResult {
  return {
    perSecond: 1_000,
    p50: 1,
    p99: 4,
    max: 9,
    requests: 2_000,
    failures: 0,
    wrongStatuses: [],
    cpuMicroseconds: { Server: 100, MongoDB: 50 },
    megabytes: { Server: 90, MongoDB: 600 },
    clientShare: 0.4,
    ...more,
  };
}

function cells(table: string, row: number): string[] {
  return table
    .split('\n')
    [row + 2]!.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('the table of a benchmark', () => {
  it('shows the median of the ratios of neighbouring runs, and their range', () => {
    const table = ratioTable([
      {
        name: 'hot/thread',
        connections: 32,
        runs: [aRun({ perSecond: 500 }), aRun({ perSecond: 700 }), aRun({ perSecond: 600 })],
        floors: [aRun(), aRun({ perSecond: 1_000, p99: 2 }), aRun({ perSecond: 2_000 })],
      },
    ]);
    expect(cells(table, 0)).to.deep.equal([
      'hot/thread',
      '32',
      '600',
      '1000',
      '0.50 (0.30 to 0.70)',
      '1.00',
      '1.00',
      '4.00',
      '4.00',
      '1.00 (1.00 to 2.00)',
      '9.0',
      '9.0',
      '150',
      '150',
      '40 %',
    ]);
  });

  it('leaves the floor empty where there is none', () => {
    const table = ratioTable([{ name: 'cold/thread', connections: 1, runs: [aRun()], floors: [] }]);
    expect(cells(table, 0).slice(0, 6)).to.deep.equal(['cold/thread', '1', '1000', '', '', '1.00']);
  });

  it('compares no requests a second where the rate was given', () => {
    const table = ratioTable([
      { name: 'steady/list', connections: 32, rate: 500, runs: [aRun()], floors: [aRun()] },
    ]);
    expect(cells(table, 0)[4]).to.equal('');
    expect(cells(table, 0)[9]).to.equal('1.00 (1.00 to 1.00)');
  });

  it('says where requests failed, and where the client was the limit', () => {
    const table = ratioTable([
      {
        name: 'hot/list',
        connections: 32,
        runs: [aRun({ failures: 3, clientShare: 0.97 })],
        floors: [aRun({ failures: 1 })],
      },
    ]);
    expect(cells(table, 0)[0]).to.equal('hot/list (4 failed)');
    expect(cells(table, 0).at(-1)).to.equal('97 %, the limit');
  });

  it('shows CPU time and memory of the processes that are known', () => {
    const table = processTable([
      {
        name: 'hot/list',
        connections: 32,
        runs: [aRun(), aRun({ megabytes: { Server: 120, MongoDB: 600 } })],
        floors: [],
      },
    ]);
    expect(cells(table, 0)).to.deep.equal([
      'hot/list, 32',
      '100 µs, 120 MB',
      '50 µs, 600 MB',
      '',
      '',
    ]);
  });

  it('is formatted as the formatter wants it', async () => {
    const table = markdownTable(
      ['Name', 'A long heading'],
      [
        ['a long name', '1'],
        ['b', '22'],
      ],
    );
    expect(await format('results.md', `${table}\n`)).to.deep.equal({
      code: `${table}\n`,
      errors: [],
    });
  });
});
