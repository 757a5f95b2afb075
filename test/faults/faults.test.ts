import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FAULTS, type FaultName } from './faultKinds.js';
import { startRig, type Rig } from './rig.js';
import { runFaults } from './runFaults.js';
import { startProcess } from '../support/serviceProcess.js';

/** Faults of Redis and MongoDB, and beside them all others. Each lasts as long as it takes to be noticed. */
const LANES: [FaultName, number][][] = [
  [
    ['Redis emptied', 0],
    ['Redis full', 1_500],
    ['MongoDB frozen', 2_000],
    ['Redis killed', 800],
    ['MongoDB killed', 800],
    ['Redis cut off in the middle', 1_000],
    ['Redis away', 1_500],
    ['MongoDB stepping down', 2_000],
    ['MongoDB cut off in the middle', 1_000],
    ['Redis frozen', 1_000],
  ],
  [
    ['Elasticsearch rejecting', 1_500],
    ['indexer killed at a step', 1_500],
    ['two rebuilds at once', 0],
    ['Elasticsearch read-only', 1_500],
    ['Elasticsearch 5 s late', 5_500],
    ['indexer with its clock an hour back', 1_500],
    ['Elasticsearch answers cut', 1_500],
    ['Elasticsearch with a full disk', 1_000],
    ['Elasticsearch away', 800],
    ['API stopped', 0],
    ['indexer stopped', 0],
  ],
];

describe('an archive under faults', function () {
  // Each action is waited for, up to five minutes.
  this.timeout(900_000);
  let rig: Rig;
  before(async () => {
    rig = await startRig(`faults_${randomUUID().slice(0, 8)}`, { ownElasticsearch: false });
  });
  after(() => rig.close());

  it('loses nothing that was acknowledged, and shows nothing that is gone', async () => {
    const said: string[] = [];
    const began = performance.now();
    const report = await runFaults(rig, {
      seed: 1,
      writers: 6,
      restMs: 200,
      betweenMs: 200,
      faults: FAULTS,
      lanes: LANES.map((lane) => lane.map(([name, ms]) => ({ name, ms }))),
      atLeast: { actions: { import: 4 }, answers: { 'threads found': 11 } },
      say: (text) => {
        said.push(`${((performance.now() - began) / 1_000).toFixed(1)} s: ${text}`);
      },
    });
    expect(report.violations, said.join('\n')).to.deep.equal([]);
    expect(Object.keys(report.faults)).to.have.length(LANES.flat().length);
  });

  it('refuses to start on a Redis that may throw jobs away, and says which setting is wrong', async () => {
    await rig.direct.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const indexer = startProcess('indexer', rig.env);
    expect(await indexer.exited).to.equal(1);
    expect(indexer.output()).to.contain('maxmemory-policy allkeys-lru').and.contain('noeviction');
  });
});
