/** The most bytes that an export may hold, inflated (2 GiB). */
export const MAX_EXPORT_BYTES = 2 ** 31;

/** The most bytes of one message, or of any other single value of the file (4 MiB). */
export const MAX_VALUE_BYTES = 2 ** 22;

/** How deep objects and arrays may nest inside one value. */
export const MAX_DEPTH = 32;

/** readMessages ends a batch when its messages have about so many bytes. */
export const BATCH_BYTES = 2 ** 20;

/** The most messages that readMessages hands over at once. */
export const BATCH_MESSAGES = 500;
