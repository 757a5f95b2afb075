import { BSON } from 'mongodb';

/**
 * The fields of a document that was asked for as raw BSON, and holds texts only: name and UTF-8 bytes of each. Making
 * strings of long texts costs more than everything else that is done with them. The bytes are part of the document's.
 */
export function rawTexts(document: Uint8Array): Record<string, Buffer> {
  const { buffer, byteOffset, byteLength } = document;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const texts: Record<string, Buffer> = {};
  for (const [type, nameAt, nameLength, at, length] of BSON.onDemand.parseToElements(bytes)) {
    const name = bytes.toString('latin1', nameAt, nameAt + nameLength);
    if (type !== TEXT) throw new TypeError(`The field ${name} is not a text`);
    // Its length comes first, and a zero last.
    texts[name] = bytes.subarray(at + 4, at + length - 1);
  }
  return texts;
}

/** A text in BSON. */
const TEXT = 2;
