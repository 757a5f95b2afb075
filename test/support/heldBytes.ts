import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes of this process that something holds, on the heap and in buffers. Garbage is collected first. V8 frees the memory
 * of collected buffers beside the program, a moment later: whoever waits for little memory asks again.
 */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
