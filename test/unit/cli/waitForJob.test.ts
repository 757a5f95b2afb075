import { expect } from 'chai';
import type { Archive } from '../../../services/cli/openArchive.js';
import { waitForJob } from '../../../services/cli/waitForJob.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('waitForJob', () => {
  it('says what to do about a job that is lost', async () => {
    const queue = { getJob: () => Promise.resolve(undefined) } as unknown as Archive['queue'];
    const told = { job: () => Promise.resolve(), failure: () => Promise.resolve() };
    expect(await rejectionOf(waitForJob({ queue }, 'verify-1', told))).to.match(
      /^The job verify-1 is not in the queue any more, .*: ask for it again$/,
    );
  });
});
