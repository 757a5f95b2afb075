import { expect } from 'chai';
import { parseRoles, rolesNamed } from '../../../../shared/discordApi/optOutRoles.js';

const ROLES = [
  { id: '310000000000000001', name: 'No Archive' },
  { id: '310000000000000002', name: '@quiet ' },
  { id: '310000000000000003', name: 'Staff' },
];

describe('roles of OPT_OUT_ROLE', () => {
  for (const [setting, expected] of [
    ['no archive', ['310000000000000001']],
    ['@No Archive, QUIET', ['310000000000000001', '310000000000000002']],
    ['310000000000000003', ['310000000000000003']],
    [' 310000000000000001 , 310000000000000003 ', ['310000000000000001', '310000000000000003']],
    [' , archive', []],
    ['', []],
  ] satisfies [string, string[]][]) {
    it(`finds those named by "${setting}"`, () => {
      expect([...rolesNamed(ROLES, parseRoles(setting))]).to.deep.equal(expected);
    });
  }
});
