import { BSON } from 'mongodb';

/**
 * Reads the fields of a document in raw BSON that holds only texts: the name and UTF-8 bytes of each. Making strings of
 * long texts would cost more than everything else that is done with them. The bytes belong to the document's memory.
 */
export function rawTexts(document: Uint8Array): Record<string, Buffer> {
  const { buffer, byteOffset, byteLength } = document;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const texts: Record<string, Buffer> = {};
  for (const [type, nameAt, nameLength, at, length] of BSON.onDemand.parseToElements(bytes)) {
    const name = bytes.toString('latin1', nameAt, nameAt + nameLength);
    if (type !== TEXT) throw new TypeError(`The field ${name} is not a text`);
    // A text begins with its length, and ends with a zero byte.
    texts[name] = bytes.subarray(at + 4, at + length - 1);
  }
  return texts;
}

/** The type of a text in BSON. */
const TEXT = 2;
