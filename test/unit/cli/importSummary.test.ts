import { expect } from 'chai';
import {
  isClean,
  summaryJson,
  summaryLines,
  type ImportSummary,
} from '../../../services/cli/import/importSummary.js';

function aSummary(more: Partial<ImportSummary> = {}): ImportSummary {
  return {
    importId: 'i',
    queued: 0,
    waitsForIndexer: false,
    imported: 0,
    unchanged: 0,
    ignored: 0,
    skipped: [],
    refused: [],
    rejected: [],
    quarantined: [],
    threads: 0,
    messages: 0,
    seconds: 2,
    ...more,
  };
}

describe('the summary of an import', () => {
  it('tells every count, and each file that was not taken with its reason and place', () => {
    const summary = aSummary({
      imported: 1_200,
      unchanged: 1,
      ignored: 12,
      threads: 1_100,
      messages: 24_000,
      skipped: [{ file: 'a.json', reason: 'a text channel is no forum thread' }],
      rejected: [{ file: 'b.json', reason: 'The file is cut off', at: 'byte 5' }],
    });
    expect(summaryLines(summary)).to.deep.equal([
      'Imported 1,200 files, and 1 unchanged: 1,100 threads, 24,000 messages (2.0 s, 12,000 messages/s)',
      'Skipped: 1 file',
      '  a.json: a text channel is no forum thread',
      'Rejected: 1 file',
      '  b.json: The file is cut off (at byte 5)',
      '12 other files ignored (no JSON)',
    ]);
    expect(summaryJson(summary)).to.include({ messagesPerSecond: 12_000, imported: 1_200 });
  });

  it('names the threads that could not be built, and is not clean then', () => {
    const summary = aSummary({ imported: 2, threads: 2, messages: 4, quarantined: ['17', '18'] });
    expect(summaryLines(summary)).to.deep.equal([
      'Imported 2 files: 2 threads, 4 messages (2.0 s, 2 messages/s)',
      'Quarantined: 2 threads that could not be built (GET /admin/quarantine tells why)',
      '  17',
      '  18',
    ]);
    expect(isClean(summary)).to.equal(false);
  });

  it('tells what is queued when nobody waits', () => {
    expect(summaryLines(aSummary({ queued: 2 }))).to.deep.equal(['2 files stored and queued']);
    expect(summaryLines(aSummary({ queued: 2, waitsForIndexer: true }))).to.deep.equal([
      '2 files stored and queued',
      'They wait until an indexer runs on this archive: npm start runs one',
    ]);
  });

  it('is clean with skipped files, not with refused or rejected ones', () => {
    const problem = [{ file: 'a', reason: 'r' }];
    expect(isClean(aSummary({ skipped: problem }))).to.equal(true);
    expect(isClean(aSummary({ refused: problem }))).to.equal(false);
    expect(isClean(aSummary({ rejected: problem }))).to.equal(false);
  });
});
