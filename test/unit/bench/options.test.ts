import { expect } from 'chai';
import { isAskedFor, readOptions } from '../../../bench/options/endpoints.js';
import { readOptions as readBusyReadsOptions } from '../../../bench/options/busyReads.js';
import { readOptions as readGrowthOptions } from '../../../bench/options/growth.js';
import { readOptions as readHostileOptions } from '../../../bench/options/hostileSearch.js';
import { readOptions as readImportOptions } from '../../../bench/options/importArchive.js';
import { readOptions as readMemoryOptions } from '../../../bench/options/memory.js';
import { readOptions as readOutagesOptions } from '../../../bench/options/outages.js';
import { OptionError } from '../../../bench/options/parts.js';
import { readOptions as readSearchOptions } from '../../../bench/options/search.js';
import { readOptions as readSuggestOptions } from '../../../bench/options/suggest.js';
import { readOptions as readVerifyOptions } from '../../../bench/options/verifyArchive.js';

describe('the options of npm run bench', () => {
  it('have defaults that end in some minutes', () => {
    expect(readOptions([])).to.deep.equal({
      messages: 10_000,
      only: [],
      seconds: 2,
      runs: 3,
      connections: [32],
      rate: undefined,
      url: undefined,
      serverId: undefined,
      results: 'bench/results.md',
      drop: false,
    });
  });

  it('are read', () => {
    const args =
      '--messages 1000000 --only cold,hot/list --seconds 0.5 --runs 5 --connections 1,32,256 --rate 100 --url http://localhost:3000/ --server-id 7 --results x.md --drop';
    expect(readOptions(args.split(' '))).to.deep.equal({
      messages: 1_000_000,
      only: ['cold', 'hot/list'],
      seconds: 0.5,
      runs: 5,
      connections: [1, 32, 256],
      rate: 100,
      url: 'http://localhost:3000',
      serverId: '7',
      results: 'x.md',
      drop: true,
    });
  });

  it('ask for help', () => {
    expect(readOptions(['--help'])).to.equal(undefined);
  });

  for (const [args, message] of [
    ['--messages many', '--messages must be a whole number from 1000 to 10000000, not many'],
    ['--messages 10.5', '--messages must be a whole number from 1000 to 10000000, not 10.5'],
    ['--seconds 0', '--seconds must be a number from 0.2 to 3600, not 0'],
    ['--runs 0', '--runs must be a whole number from 1 to 100, not 0'],
    ['--connections 1,x', '--connections must be a whole number from 1 to 10000, not x'],
    ['--connections=', '--connections needs at least one number'],
    ['--only hot/nothing', '--only: there is no hot/nothing. Choose of hot, '],
    ['--url ftp://x', '--url must be an http address such as http://127.0.0.1:3000, not ftp://x'],
    ['--server-id 7', '--server-id needs --url'],
    ['--frobnicate', "Unknown option '--frobnicate'"],
    ['10000', "Unexpected argument '10000'"],
  ] as const) {
    it(`refuse ${args}`, () => {
      expect(() => readOptions(args.split(' '))).to.throw(OptionError, message);
    });
  }

  it('narrow what is measured by mode, by endpoint or by both', () => {
    expect(isAskedFor('hot/list', [])).to.equal(true);
    expect(isAskedFor('hot/list', ['hot'])).to.equal(true);
    expect(isAskedFor('hot/list', ['list'])).to.equal(true);
    expect(isAskedFor('hot/list', ['hot/list'])).to.equal(true);
    expect(isAskedFor('hot/list', ['cold', 'thread', 'hot/thread'])).to.equal(false);
  });
});

describe('the options of npm run bench -- growth', () => {
  it('have defaults, and are read', () => {
    expect(readGrowthOptions([])).to.deep.equal({
      messages: 100_000,
      from: 10_000,
      requests: 300,
      results: 'bench/growth.md',
    });
    const args = '--messages 1000000 --from 20000 --requests 50 --results x.md';
    expect(readGrowthOptions(args.split(' '))).to.deep.equal({
      messages: 1_000_000,
      from: 20_000,
      requests: 50,
      results: 'x.md',
    });
    expect(readGrowthOptions(['--help'])).to.equal(undefined);
  });

  it('refuse an archive in which some lists are empty', () => {
    expect(() => readGrowthOptions(['--from', '1000'])).to.throw(
      OptionError,
      '--from must be a whole number from 10000 to 10000000, not 1000',
    );
  });

  it('refuse a small archive that is not smaller', () => {
    expect(() => readGrowthOptions(['--messages', '10000'])).to.throw(
      OptionError,
      '--from must be less than --messages',
    );
  });
});

describe('the options of npm run bench -- memory', () => {
  it('have defaults, and are read', () => {
    expect(readMemoryOptions([])).to.deep.equal({ messages: 200_000 });
    expect(readMemoryOptions(['--messages', '1000'])).to.deep.equal({ messages: 1_000 });
    expect(readMemoryOptions(['--help'])).to.equal(undefined);
  });

  for (const [args, message] of [
    ['--messages many', '--messages must be a whole number from 1000 to 10000000, not many'],
    ['--frobnicate', "Unknown option '--frobnicate'"],
  ] as const) {
    it(`refuse ${args}`, () => {
      expect(() => readMemoryOptions(args.split(' '))).to.throw(OptionError, message);
    });
  }
});

describe('the options of npm run bench -- busyReads', () => {
  it('have defaults, and are read', () => {
    expect(readBusyReadsOptions([])).to.deep.equal({ messages: 100_000, seconds: 60 });
    const args = ['--messages', '1000000', '--seconds', '0.5'];
    expect(() => readBusyReadsOptions(args)).to.throw(OptionError, '--seconds must be');
    args[3] = '20';
    expect(readBusyReadsOptions(args)).to.deep.equal({ messages: 1_000_000, seconds: 20 });
    expect(readBusyReadsOptions(['--help'])).to.equal(undefined);
  });
});

describe('the options of all other benchmarks', () => {
  const others = [
    ['importArchive', readImportOptions, { threads: 5_000, messages: 100_000, folders: [] }],
    ['search', readSearchOptions, { messages: 1_000_000, rounds: 10, keep: undefined }],
    [
      'suggest',
      readSuggestOptions,
      { messages: 1_000_000, searches: 100, seconds: 20, keep: undefined },
    ],
    ['hostileSearch', readHostileOptions, { questions: 200, seconds: 8, onlyAttacks: false }],
    ['verifyArchive', readVerifyOptions, { messages: 100_000, database: undefined, drop: false }],
    ['outages', readOutagesOptions, { rate: 500 }],
  ] as const;

  for (const [name, read, defaults] of others) {
    it(`have defaults and --help, and refuse unknown ones: ${name}`, () => {
      expect(read([])).to.deep.equal(defaults);
      expect(read(['--help'])).to.equal(undefined);
      expect(() => read(['--frobnicate'])).to.throw(OptionError, "Unknown option '--frobnicate'");
    });
  }

  it('refuse what is no number', () => {
    expect(() => readSearchOptions(['--rounds', 'many'])).to.throw(OptionError, '--rounds must be');
  });

  it('take folders for an import, and nothing beside options for others', () => {
    expect(readImportOptions(['one', 'two', '--threads', '10'])).to.deep.equal({
      threads: 10,
      messages: 100_000,
      folders: ['one', 'two'],
    });
    expect(() => readOutagesOptions(['500'])).to.throw(OptionError, "Unexpected argument '500'");
  });
});
