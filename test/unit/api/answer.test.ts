import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { compressed, identityOf, jsonAnswer } from '../../../services/api/answer.js';

describe('an answer that may be kept', () => {
  /** JSON of about so many bytes. */
  const json = (bytes: number) => JSON.stringify({ text: 'abcdefgh'.repeat(bytes / 8) });
  /** Bytes of the memory that is kept with a buffer. */
  const held = ({ buffer }: Buffer) => buffer.byteLength;

  for (const bytes of [80, 2_000, 20_000, 60_000]) {
    it(`of ${bytes} bytes holds no more memory than its forms have bytes`, async () => {
      const text = json(bytes);
      const { identity, gzip } = await compressed(jsonAnswer(text));
      expect(identity?.toString()).to.equal(text);
      expect(held(identity!)).to.equal(text.length);
      expect(gzip === undefined).to.equal(bytes < 1_024);
      if (!gzip) return;
      expect(gunzipSync(gzip).toString()).to.equal(text);
      expect(held(gzip)).to.equal(gzip.length);
      const inflated = await identityOf({ etag: '', length: text.length, gzip });
      expect(inflated.toString()).to.equal(text);
      expect(held(inflated)).to.equal(text.length);
    });
  }
});
