/** Resolves with the value of a promise. Where the promise rejects, resolves with null. */
export async function orNull<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch {
    return null;
  }
}
