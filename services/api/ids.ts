/** Whether text can be an id at all: 1 to 20 digits. */
export function isId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}
