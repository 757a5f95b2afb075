import { expect } from 'chai';
import { mergeFields, type Stamped } from '../../../../services/indexer/records/mergeFields.js';

const told = (fields: Record<string, unknown>, at: number): Stamped => ({
  fields,
  stamps: Object.fromEntries(Object.keys(fields).map((name) => [name, at])),
});
const nothing: Stamped = { fields: {}, stamps: {} };

describe('mergeFields', () => {
  it('accepts what is told first', () => {
    const merged = mergeFields(nothing, told({ title: 'A' }, 5));
    expect(merged).to.deep.equal({
      fields: { title: 'A' },
      stamps: { title: 5 },
      changed: true,
      moved: true,
    });
  });

  it('lets the later value win, whichever comes first', () => {
    const early = told({ title: 'early' }, 5);
    const late = told({ title: 'late' }, 6);
    expect(mergeFields(mergeFields(nothing, early), late).fields).to.deep.equal({ title: 'late' });
    expect(mergeFields(mergeFields(nothing, late), early).fields).to.deep.equal({ title: 'late' });
  });

  it('gives the same value in either order for two sources of the same time', () => {
    const one = told({ title: 'one' }, 5);
    const two = told({ title: 'two' }, 5);
    const forwards = mergeFields(mergeFields(nothing, one), two);
    const backwards = mergeFields(mergeFields(nothing, two), one);
    expect(forwards.fields).to.deep.equal(backwards.fields);
  });

  it('keeps fields that a later source does not tell', () => {
    const stored = mergeFields(nothing, told({ title: 'A', locked: true }, 5));
    const merged = mergeFields(stored, {
      fields: { title: 'B', locked: undefined },
      stamps: { title: 6, locked: 6 },
    });
    expect(merged.fields).to.deep.equal({ title: 'B', locked: true });
  });

  it('judges each field by its own time, even if another field is newer', () => {
    const stored = mergeFields(
      mergeFields(nothing, told({ title: 'A', locked: true }, 5)),
      told({ title: 'B' }, 9),
    );
    expect(mergeFields(stored, told({ title: 'old', locked: false }, 7)).fields).to.deep.equal({
      title: 'B',
      locked: false,
    });
  });

  it('changes nothing the second time', () => {
    const source = told({ title: 'A', tags: ['x', 'y'] }, 5);
    const again = mergeFields(mergeFields(nothing, source), source);
    expect(again).to.include({ changed: false, moved: false });
  });

  it('stores a newer time for the same value, but does not call it a change', () => {
    const again = mergeFields(
      mergeFields(nothing, told({ tags: [{ id: '1', name: 'x' }] }, 5)),
      told({ tags: [{ name: 'x', id: '1' }] }, 6),
    );
    expect(again).to.include({ changed: false, moved: true });
    expect(again.stamps).to.deep.equal({ tags: 6 });
  });
});
