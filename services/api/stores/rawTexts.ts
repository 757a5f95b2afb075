import { BSON } from 'mongodb';

/**
 * Reads a document in raw BSON whose fields are all strings. Returns the UTF-8 bytes of each field by its name. To
 * decode long texts would cost more than everything else that is done with them. The bytes share the memory of the
 * document. Throws TypeError for a field of another type.
 */
export function rawTexts(document: Uint8Array): Record<string, Buffer> {
  const { buffer, byteOffset, byteLength } = document;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const texts: Record<string, Buffer> = {};
  for (const [type, nameAt, nameLength, at, length] of BSON.onDemand.parseToElements(bytes)) {
    const name = bytes.toString('latin1', nameAt, nameAt + nameLength);
    if (type !== TEXT) throw new TypeError(`The field ${name} is not a string`);
    // In BSON, a string begins with its length in four bytes, and ends with a zero byte.
    texts[name] = bytes.subarray(at + 4, at + length - 1);
  }
  return texts;
}

/** The number of the type string in BSON. */
const TEXT = 2;
