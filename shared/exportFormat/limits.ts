/** The most bytes that an export may hold, inflated (2 GiB). */
export const MAX_EXPORT_BYTES = 2 ** 31;

/** The most bytes of one value of the file (4 MiB). Of a message, only what is kept of it counts. */
export const MAX_VALUE_BYTES = 2 ** 22;

/**
 * The most bytes of one message with everything that the file tells of it (8 MiB). An exporter writes about 380 bytes
 * for each person who reacted, of which only the id is kept. In large communities, more than ten thousand people may
 * react.
 */
export const MAX_MESSAGE_BYTES = 2 ** 23;

/** The most characters of a long text, such as the content of a message or a text of an embed. */
export const MAX_TEXT = 65_536;

/** The most characters of a short text, such as a title or a name. */
export const MAX_SHORT_TEXT = 2_000;

/**
 * How many characters longer all texts of one message together may become, when ids take the place of names, another
 * text that of the names of erased people, or names that of mentions. A name may be a hundred times as long as what
 * mentions it.
 */
export const MAX_GROWTH = 65_536;

/** How deep objects and arrays may nest inside one value. */
export const MAX_DEPTH = 32;

/** readMessages ends a batch when its messages have about so many bytes. */
export const BATCH_BYTES = 2 ** 20;

/** The most messages that readMessages hands over at once. */
export const BATCH_MESSAGES = 500;
