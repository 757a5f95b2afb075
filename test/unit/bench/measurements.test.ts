import { expect } from 'chai';
import { ENDPOINTS, UNMEASURED } from '../../../bench/measurements.js';
import { operations } from '../../../shared/contract/operations.js';

describe('the measurements of npm run bench', () => {
  it('cover every public operation but those that lead to another platform', () => {
    const open = Object.values(operations).filter(({ access }) => access === 'public');
    const covered = [...ENDPOINTS.map(({ operationId }) => operationId), ...UNMEASURED];
    expect(covered.toSorted()).to.deep.equal(open.map((one) => one.operationId).toSorted());
  });

  it('have names of their own', () => {
    expect(new Set(ENDPOINTS.map(({ name }) => name)).size).to.equal(ENDPOINTS.length);
  });
});
