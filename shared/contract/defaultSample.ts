/** Threads that a verification renders again unless told otherwise. */
export const DEFAULT_SAMPLE = 500;
