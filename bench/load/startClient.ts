import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './runLoad.js';

/** A process that loads servers, one run at a time. */
export interface LoadClient {
  /** Rejects where the server cannot be reached, or sends an answer that cannot be read. */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): void;
}

interface Reply {
  result?: LoadResult;
  error?: string;
}

/** Starts the process that loads servers. */
export function startClient(): LoadClient {
  const child = fork(fileURLToPath(new URL('clientProcess.js', import.meta.url)));
  const ended = new Promise<Reply>((resolve) => {
    child.once('exit', () => resolve({ error: 'The load client ended' }));
  });
  return {
    async run(job) {
      const answered = new Promise<Reply>((resolve) => child.once('message', resolve));
      child.send(job);
      const { result, error } = await Promise.race([answered, ended]);
      if (!result) throw new Error(error);
      return result;
    },
    stop: () => child.disconnect(),
  };
}
