import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createReadMirror } from '../../../../services/api/files/readMirror.js';
import { createLogger } from '../../../../shared/platform/logger.js';

describe('createReadMirror', () => {
  for (const [why, open] of Object.entries({
    'EACCES: permission denied': () => Promise.reject(new Error('EACCES: permission denied')),
    'The mirror holds no such copy': () => Promise.resolve(null),
  })) {
    it(`ignores copies that cannot be read, and logs that once a minute: ${why}`, async () => {
      const lines: string[] = [];
      const logger = createLogger('api', 'warn', { write: (line) => void lines.push(line) });
      const copy = Readable.from(['x']);
      const answers = [() => Promise.resolve(copy), open, open];
      const read = createReadMirror({ open: () => answers.shift()!() }, logger);
      expect(await read('a', 1)).to.equal(copy);
      expect(lines).to.deep.equal([]);
      expect([await read('a', 1), await read('a', 1)]).to.deep.equal([null, null]);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.contain(why).and.to.contain('"level":40');
    });
  }
});
