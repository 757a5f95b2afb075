/**
 * Loads servers as its parent asks it to: each message is a LoadJob, and is answered by a LoadResult or an error's
 * text.
 */
import { runLoad, type LoadJob } from './runLoad.js';

process.on('message', (job: LoadJob) => {
  void runLoad(job).then(
    (result) => process.send!({ result }),
    (error: unknown) => process.send!({ error: String(error) }),
  );
});
