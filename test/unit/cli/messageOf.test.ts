import { expect } from 'chai';
import { messageOf } from '../../../services/cli/reachable.js';
import { refusedInsert } from '../../support/refusedInsert.js';

describe('messageOf', () => {
  it('shows only the name of a command that MongoDB refused', () => {
    expect(messageOf(refusedInsert())).to.equal(
      'not authorized on archive to execute command insert',
    );
  });
});
