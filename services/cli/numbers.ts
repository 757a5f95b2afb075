/** A number with thousands separated, such as `1,312`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A count with its noun, such as `1 file` or `1,312 files`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
