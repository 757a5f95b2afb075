const MOST_TIMES = 3;

/**
 * Does work that needs the network. Where it fails, it is done again, three times in all: a server may be busy for a
 * moment, or a connection may be cut. Throws the last error.
 */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let time = 1; time < MOST_TIMES; time += 1) {
    try {
      return await work();
    } catch {
      // The next time may succeed, and the last one tells what is wrong.
    }
  }
  return work();
}
