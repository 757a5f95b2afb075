export const PARAGRAPH_SEPARATOR = '\u2029';

/**
 * What stands between the parts of a content, such as the texts of a message's components. The platform reads each part
 * by itself. So a mark that one part opens is closed by none of another, and each part is a paragraph of its own.
 */
export const PART_BREAK = `\n${PARAGRAPH_SEPARATOR}`;
