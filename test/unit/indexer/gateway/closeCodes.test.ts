import { expect } from 'chai';
import { judgeClose } from '../../../../services/indexer/gateway/closeCodes.js';

describe('judgeClose', () => {
  it('resumes a session after a code that keeps it, and after a cut', () => {
    for (const code of [1000, 1001, 1006, 4000, 4001, 4002, 4003, 4005, 4008, 4200]) {
      expect(judgeClose(code), String(code)).to.deep.equal({ kind: 'resumable' });
    }
  });

  it('begins another session where the number was bad or the session has timed out', () => {
    for (const code of [4007, 4009]) {
      expect(judgeClose(code), String(code)).to.deep.equal({ kind: 'sessionGone' });
    }
  });

  it('ends everything where the token is refused', () => {
    expect(judgeClose(4004)).to.deep.equal({ kind: 'unauthorized' });
  });

  it('says what to do where trying again would not help', () => {
    const words = {
      4010: 'invalid shard',
      4011: 'more servers',
      4012: 'API is too old',
      4013: 'invalid intents',
      4014: 'Message Content intent',
    };
    for (const [code, word] of Object.entries(words)) {
      const closed = judgeClose(Number(code));
      expect(closed.kind, code).to.equal('fatal');
      expect(closed, code).to.have.property('problem').that.contains(word).and.contains('restart');
    }
  });
});
