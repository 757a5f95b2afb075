/** Calls a function while the clock of this process is `ms` ahead of the real time. */
export async function atOtherTime<Result>(
  ms: number,
  call: () => Promise<Result>,
): Promise<Result> {
  const RealDate = Date;
  const now = (): number => RealDate.now() + ms;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given) =>
      Reflect.construct(target, given.length > 0 ? given : [now()]) as Date,
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)) as unknown,
  });
  try {
    return await call();
  } finally {
    globalThis.Date = RealDate;
  }
}
