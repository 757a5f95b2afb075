import { expect } from 'chai';
import { clipPassage, PASSAGE } from '../../../../services/api/search/clipPassage.js';

/** What a reader sees of escaped text. */
function visible(escaped: string): string {
  return escaped.replace(/<\/?mark>/g, '').replace(/&#?\w+;/g, '&');
}

describe('clipPassage', () => {
  it('leaves a short passage alone', () => {
    const short = `${'&lt;'.repeat(PASSAGE - 4)}<mark>word</mark>`;
    expect(clipPassage(short)).to.equal(short);
  });

  it('counts neither marks nor the letters of an escape', () => {
    const three = '<mark>w</mark>&quot; ';
    const full = three.repeat(PASSAGE / 3);
    expect(clipPassage(full)).to.equal(full);
    expect(visible(clipPassage(full + three))).to.equal(visible(full));
  });

  it('cuts around the first mark', () => {
    const clipped = clipPassage(`${'z'.repeat(3_000)} <mark>word</mark> ${'y'.repeat(3_000)}`);
    expect(clipped).to.include('z <mark>word</mark> y');
    expect(visible(clipped)).to.have.length(PASSAGE);
  });

  it('begins and ends between words where it can', () => {
    const words = 'one seven eleven '.repeat(20);
    const clipped = clipPassage(`${words}<mark>word</mark> ${words}`);
    const [before = '', behind = ''] = clipped.split('<mark>word</mark>');
    for (const word of `${before.trim()} ${behind.trim()}`.split(' ')) {
      expect(word).to.be.oneOf(['one', 'seven', 'eleven']);
    }
    expect(before.length).to.be.within(40, 60);
    expect(visible(clipped).length).to.be.within(PASSAGE - 20, PASSAGE);
  });

  it('closes a mark that it cuts', () => {
    const clipped = clipPassage(`a <mark>${'x'.repeat(500)}</mark>`);
    expect(clipped).to.match(/^a <mark>x+<\/mark>$/);
    expect(visible(clipped)).to.have.length(PASSAGE);
  });

  it('leaves out a mark that begins behind its end', () => {
    const clipped = clipPassage(`<mark>w</mark>${' yyy'.repeat(59)}zz <mark>word</mark> z`);
    expect(clipped).to.equal(`<mark>w</mark>${' yyy'.repeat(59)}zz `);
  });

  it('never cuts an escaped sign in two', () => {
    const clipped = clipPassage(`<mark>w</mark>${'&quot;'.repeat(400)}`);
    expect(clipped).to.match(/^<mark>w<\/mark>(&quot;)+$/);
  });

  it('never cuts a character in two', () => {
    expect(clipPassage(`<mark>w</mark>${'👍'.repeat(400)}`)).to.match(/^<mark>w<\/mark>(👍)+$/u);
  });
});
