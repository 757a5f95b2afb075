import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { processCount } from '../../../../services/api/processes/processCount.js';

describe('processCount', () => {
  it('is one for each core, unless API_PROCESSES names a number', () => {
    expect(processCount({})).to.equal(availableParallelism());
    expect(processCount({ API_PROCESSES: 7 })).to.equal(7);
  });
});
