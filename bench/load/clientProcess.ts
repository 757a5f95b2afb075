/**
 * Loads servers on behalf of its parent process. Each message is a LoadJob. The answer is a LoadResult, or the text of
 * an error.
 */
import { runLoad, type LoadJob } from './runLoad.js';

process.on('message', (job: LoadJob) => {
  void runLoad(job).then(
    (result) => process.send!({ result }),
    (error: unknown) => process.send!({ error: String(error) }),
  );
});
