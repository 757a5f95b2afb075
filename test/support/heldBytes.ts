import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many bytes of this process are still in use, on the heap and in buffers. It collects garbage first. V8 frees the
 * memory of collected buffers a moment later, beside the program. So a test that waits for little memory asks again.
 */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
