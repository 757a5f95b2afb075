/** Is loaded before a service (`node --import`). It sets every clock of the process off by CLOCK_OFFSET_MS. */
const offset = Number(process.env['CLOCK_OFFSET_MS'] ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[]) =>
    Reflect.construct(target, given.length === 0 ? [target.now() + offset] : given) as Date,
  get: (target, name) =>
    name === 'now' ? () => target.now() + offset : (Reflect.get(target, name, target) as unknown),
});
