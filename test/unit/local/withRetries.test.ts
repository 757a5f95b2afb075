import { expect } from 'chai';
import { createChildren } from '../../../services/local/children.js';
import { withRetries } from '../../../services/local/withRetries.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('work with retries', () => {
  it('is not done again once everything is to stop, and reports nothing', async () => {
    const children = createChildren();
    const lines: string[] = [];
    const report = { line: (text: string) => void lines.push(text) };
    let calls = 0;
    const message = await rejectionOf(
      withRetries('It', { children, report }, async () => {
        calls += 1;
        await children.stopAll();
        throw new Error('Its program was ended');
      }),
    );
    expect(message).to.equal('Its program was ended');
    expect({ calls, lines }).to.deep.equal({ calls: 1, lines: [] });
  });

  it('is not done again where everything is to stop during the pause', async () => {
    const children = createChildren();
    const report = { line: () => void children.stopAll() };
    let calls = 0;
    await rejectionOf(
      withRetries('It', { children, report }, () => {
        calls += 1;
        return Promise.reject(new Error('It failed'));
      }),
    );
    expect(calls).to.equal(1);
  });
});
