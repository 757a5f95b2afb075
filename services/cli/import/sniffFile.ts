import { createReadStream } from 'node:fs';
import { ExportError } from '../../../shared/exportFormat/exportError.js';
import { inflate } from '../../../shared/exportFormat/inflate.js';

const SNIFFED_BYTES = 65_536;

/** Whether a file may hold a JSON object. Its first character tells; gzip is inflated for that. */
export async function isJsonFile(path: string): Promise<boolean> {
  const file = createReadStream(path, { highWaterMark: SNIFFED_BYTES });
  try {
    for await (const chunk of inflate(file)) {
      const first = /[^\s\ufeff]/.exec(chunk.toString('utf8'))?.[0];
      if (first !== undefined || file.bytesRead > SNIFFED_BYTES) return first === '{';
    }
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
  }
  return false;
}
