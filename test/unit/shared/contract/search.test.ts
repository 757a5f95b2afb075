import { expect } from 'chai';
import { searchQuerySchema } from '../../../../shared/contract/search.js';

function check(query: Record<string, unknown>) {
  return searchQuerySchema.validate(query, { abortEarly: false });
}

const REFUSED: [string, Record<string, unknown>, path: string][] = [
  ['a missing q', {}, 'q'],
  ['an empty q', { q: '' }, 'q'],
  ['a blank q', { q: ' \t\u3000' }, 'q'],
  ['a q of 513 characters', { q: 'x'.repeat(513) }, 'q'],
  ['an unknown type', { q: 'x', type: 'users' }, 'type'],
  ['a limit of 0', { q: 'x', limit: '0' }, 'limit'],
  ['a limit of 101', { q: 'x', limit: '101' }, 'limit'],
  ['a negative offset', { q: 'x', offset: '-1' }, 'offset'],
  ['a page beyond 10,000 results', { q: 'x', offset: '9981' }, 'offset'],
  ['a minScore above 1', { q: 'x', minScore: '1.1' }, 'minScore'],
  ['an unknown status', { q: 'x', status: 'closed' }, 'status'],
  ['a time that is none', { q: 'x', after: 'yesterday' }, 'after'],
  ['a day that is none', { q: 'x', before: '2024-02-31' }, 'before'],
  ['a flag that is none', { q: 'x', hasAttachment: 'maybe' }, 'hasAttachment'],
];

const TIMES: [string, string][] = [
  ['2024-03-05', '2024-03-05T00:00:00.000Z'],
  ['2024-03-05T10:30', '2024-03-05T10:30:00.000Z'],
  ['2024-03-05T10:30:01.5Z', '2024-03-05T10:30:01.500Z'],
  ['2024-03-05T10:30:00+02:00', '2024-03-05T08:30:00.000Z'],
];

describe('searchQuerySchema', () => {
  for (const [name, query, path] of REFUSED) {
    it(`refuses ${name}`, () => {
      expect(check(query).error?.details.map((detail) => detail.path.join('.'))).to.include(path);
    });
  }

  for (const [given, expected] of TIMES) {
    it(`reads ${given} as UTC`, () => {
      expect(check({ q: 'x', after: given }).value).to.include({ after: expected });
    });
  }

  it('fills in the defaults', () => {
    expect(check({ q: 'x' }).value).to.deep.equal({
      q: 'x',
      type: 'all',
      limit: 20,
      offset: 0,
      minScore: 0.5,
      status: 'all',
    });
  });

  it('takes the last page within 10,000 results', () => {
    expect(check({ q: 'x', offset: '9900', limit: '100' }).error).to.equal(undefined);
  });

  it('keeps q as it was typed', () => {
    expect(check({ q: ' a  b ' }).value).to.include({ q: ' a  b ' });
  });
});
