import { createChildren, type Children } from '../../services/local/children.js';
import { onAsked } from './onAsked.js';

/** Something that was started, and that leaves nothing behind once it is closed. */
interface Closable {
  close(): Promise<void>;
}

/**
 * Starts what a run needs. `end` closes it, once. A process that is asked to end does the same (see onAsked.ts), and
 * ends with 1. Where it is still being started then, the children that were started for it are stopped, and `running`
 * never settles. A start that fails has to leave nothing behind.
 */
export function startUntilAsked<T extends Closable>(
  start: (children: Children) => Promise<T>,
): { running: Promise<T>; end: () => Promise<void> } {
  const children = createChildren();
  let isStarted = false;
  let ending: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    if (!isStarted) await children.stopAll();
    const made = await starting.catch(() => undefined);
    await made?.close();
  };
  const end = (): Promise<void> => (ending ??= close());
  const stop = (): void =>
    void end()
      .catch(console.error)
      .then(() => process.exit(1));
  onAsked(stop);
  const starting = start(children);
  const settle = async (): Promise<T> => {
    const made = await starting.catch((error: unknown) => {
      if (ending === undefined) throw error;
    });
    if (made === undefined || ending !== undefined) return new Promise(() => undefined);
    isStarted = true;
    return made;
  };
  return { running: settle(), end };
}
