import { expect } from 'chai';
import { indexerStarter } from '../../../services/cli/indexerStarter.js';
import type { Children } from '../../../services/local/children.js';

describe('indexerStarter', () => {
  it('starts one indexer, however many steps of a command ask for it', () => {
    const started: string[][] = [];
    const children = {
      spawn: ({ args }: { args: string[] }) => {
        started.push(args);
        return { exited: new Promise(() => undefined) };
      },
    } as unknown as Children;
    const context = { dist: '/dist', env: {}, logs: '/logs', watch: false };
    const startIndexer = indexerStarter({ ...context, children }, () => undefined);
    expect(started).to.have.length(0);
    startIndexer();
    startIndexer();
    expect(started).to.have.length(1);
    expect(started[0]).to.include('/dist/services/indexer/main.js');
  });
});
