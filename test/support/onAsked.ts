/**
 * Calls `stop` on each signal that asks a program to end. A terminal that is closed sends one. An output that nobody
 * reads any more, such as behind `head`, counts as one. It may be called again and again.
 */
export function onAsked(stop: () => void): void {
  // `once` would not do: a second signal would end this process before what it has started.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Whoever else listens to signals, such as a script that runs a program, hears of it, too.
  const ask = (): boolean => process.kill(process.pid, 'SIGTERM');
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ask);
}
