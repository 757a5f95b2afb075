import { expect } from 'chai';
import { messageOf } from '../../../services/cli/reachable.js';
import { refusedInsert } from '../../support/refusedInsert.js';

describe('messageOf', () => {
  it('shows only the name of a command that MongoDB refused', () => {
    expect(messageOf(refusedInsert())).to.equal(
      'not authorized on archive to execute command insert',
    );
  });

  it('says that Redis is full, where a script of the queue failed for it', () => {
    const error = new Error(
      "ERR Error running script (call to f_5ab4): @user_script:589: @user_script: 589: -OOM command not allowed when used memory > 'maxmemory'.",
    );
    expect(messageOf(error)).to.match(/^Redis cannot be used: its memory is full, .*maxmemory/);
  });
});
