/** Whether a text can be an id: 1 to 20 digits. */
export function isId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}
