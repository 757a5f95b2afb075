/** The result of a function over a record; null where it fails because a value in the record has a wrong type. */
export function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
