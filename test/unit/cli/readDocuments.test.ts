import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { BSON, type Document } from 'mongodb';
import { readDocuments } from '../../../services/cli/backup/readDocuments.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('readDocuments', () => {
  /** How many documents each batch of a backup file has. */
  const batchSizes = (documents: Document[]): Promise<number[]> =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'messages.bson.gz');
      await writeFile(path, gzipSync(Buffer.concat(documents.map((one) => BSON.serialize(one)))));
      const sizes: number[] = [];
      const ids: unknown[] = [];
      for await (const batch of readDocuments(path)) {
        sizes.push(batch.length);
        ids.push(...batch.map(({ _id }) => _id as string));
      }
      expect(ids).to.deep.equal(documents.map(({ _id }) => _id as string));
      return sizes;
    });

  it('puts up to 1,000 small documents into a batch', async () => {
    const documents = Array.from({ length: 2_500 }, (_, n) => ({ _id: `${n}`, content: 'Hi' }));
    expect(await batchSizes(documents)).to.deep.equal([1_000, 1_000, 500]);
  });

  it('puts few documents into a batch where they are large, wherever their bytes are', async () => {
    const part = 'x'.repeat(1_000_000);
    const documents = Array.from({ length: 4 }, (_, n) => ({
      _id: `${n}`,
      content: part,
      embeds: [{ description: part, fields: [{ value: part }] }],
      data: Buffer.from(part),
    }));
    expect(await batchSizes(documents)).to.deep.equal([2, 2]);
  });
});
