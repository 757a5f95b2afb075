import { expect } from 'chai';
import { messageOf } from '../../../services/cli/reachable.js';
import { refusedInsert } from '../../support/refusedInsert.js';

describe('messageOf', () => {
  it('shows only the name of a command that MongoDB refused', () => {
    expect(messageOf(refusedInsert())).to.equal(
      'not authorized on archive to execute command insert',
    );
  });

  it('says why Redis stores nothing, where a script of the queue failed for it', () => {
    const script = 'ERR Error running script (call to f_5ab4): @user_script:589: ';
    const full = `${script}-OOM command not allowed when used memory > 'maxmemory'.`;
    expect(messageOf(new Error(full))).to.match(
      /^Redis cannot be used: its memory is full, .*maxmemory/,
    );
    const failing = `${script}-MISCONF Errors writing to the AOF file: No space left on device`;
    expect(messageOf(new Error(failing))).to.match(
      /^Redis cannot be used: it cannot write to its disk/,
    );
  });
});
