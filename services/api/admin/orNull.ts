/** The value of a promise, or null when it rejects. */
export async function orNull<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch {
    return null;
  }
}
