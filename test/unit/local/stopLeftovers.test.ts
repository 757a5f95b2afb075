import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { isRunning, processId } from '../../../services/local/processId.js';
import { writeServersFile } from '../../../services/local/serversFile.js';
import { stopLeftovers } from '../../../services/local/stopLeftovers.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const gone = { pid: process.pid, startedAt: 'another time' };
const report = { line: () => undefined, progress: () => undefined };

async function startLeftover(): Promise<ChildProcess> {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  return child;
}

describe('stopLeftovers', () => {
  let leftover: ChildProcess;

  beforeEach(async () => {
    leftover = await startLeftover();
  });

  afterEach(() => leftover.kill('SIGKILL'));

  it('ends the processes of a launcher that is gone', () =>
    withTemporaryFolder(async (dataDir) => {
      const processes = [processId(leftover.pid)];
      await writeServersFile(dataDir, { ports: {}, launcher: gone, processes });
      await stopLeftovers(dataDir, report);
      expect(isRunning(processes[0]!)).to.equal(false);
    }));

  it('leaves the processes of a running launcher alone', () =>
    withTemporaryFolder(async (dataDir) => {
      const processes = [processId(leftover.pid)];
      await writeServersFile(dataDir, { ports: {}, launcher: processId(), processes });
      await stopLeftovers(dataDir, report);
      expect(isRunning(processes[0]!)).to.equal(true);
    }));

  it('leaves a process alone that has the number of an old one', () =>
    withTemporaryFolder(async (dataDir) => {
      const processes = [{ pid: Number(leftover.pid), startedAt: 'another time' }];
      await writeServersFile(dataDir, { ports: {}, launcher: gone, processes });
      await stopLeftovers(dataDir, report);
      expect(isRunning(processId(leftover.pid))).to.equal(true);
    }));
});
