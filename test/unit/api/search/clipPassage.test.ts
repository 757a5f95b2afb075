import { expect } from 'chai';
import { clipPassage, PASSAGE } from '../../../../services/api/search/clipPassage.js';
import { processorTime } from '../../../support/processorTime.js';

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
    expect(visible(clipPassage(full + three))).to.equal(visible(full).trimEnd());
  });

  it('cuts around the first mark', () => {
    const clipped = clipPassage(`${'z'.repeat(3_000)} <mark>word</mark> ${'y'.repeat(3_000)}`);
    expect(clipped).to.include('z <mark>word</mark> y');
    expect(visible(clipped)).to.have.length(PASSAGE);
  });

  it('cuts around the place with most different words, and of such places the one where they are nearest', () => {
    const [salt, sea] = ['<mark>salt</mark>', '<mark>sea</mark>'];
    const between = `${'z'.repeat(99)} `.repeat(3);
    const apart = `${salt} z z ${sea}`;
    const near = `${sea} ${salt}`;
    for (const text of [
      [salt, salt, near, salt],
      [salt, apart, near, apart],
      [apart, near, near, apart],
    ]) {
      const clipped = clipPassage(text.join(` ${between}`));
      expect(clipped).to.include(near);
      expect(clipped).to.not.include(apart);
      expect(visible(clipped).length).to.be.within(PASSAGE - 20, PASSAGE);
    }
  });

  it('cuts around the words that have the fewest marks, not around the most words', () => {
    const [how, to, tar] = ['<mark>how</mark>', '<mark>to</mark>', '<mark>tar</mark>'];
    const between = `${'z'.repeat(99)} `.repeat(3);
    const common = `${how} z ${to}`;
    const clipped = clipPassage([common, common, tar, common, common].join(` ${between}`));
    expect(clipped).to.include(tar);
    expect(clipped).to.not.include(how);
  });

  it('takes time in proportion to how many marks a long word has', () => {
    const marked = (count: number) => '<mark>foo</mark>_'.repeat(count);
    const [few, many] = [marked(1_000), marked(20_000)];
    const limit = 100 * processorTime(() => clipPassage(few));
    expect(processorTime(() => clipPassage(many), limit)).to.be.below(limit);
  });

  it('compares the first 250 marks', () => {
    const alone = `<mark>one</mark> ${'z'.repeat(PASSAGE)} `;
    const together = '<mark>one</mark> <mark>two</mark>';
    expect(clipPassage(alone.repeat(248) + together)).to.include('<mark>two</mark>');
    expect(clipPassage(alone.repeat(249) + together)).to.not.include('<mark>two</mark>');
  });

  it('begins with a sentence that begins near, and with a mark where that begins it', () => {
    const long = 'one seven eleven '.repeat(20);
    for (const end of ['. ', '?\n', '\n', '。', '… ', '؟ ', '। ']) {
      const lead = `six ${'seven '.repeat(12)}`;
      expect(clipPassage(`${long}ends${end}${lead}<mark>word</mark> ${long}`)).to.match(
        /^six seven/,
      );
      const clipped = clipPassage(`${long}ends${end}<mark>word</mark> ${long}`);
      expect(clipped).to.match(/^<mark>word<\/mark> one/);
    }
    const opening = `${'seven '.repeat(15)}<mark>word</mark> ${long}`;
    expect(clipPassage(opening)).to.match(/^(seven ){15}<mark>/);
  });

  it('does not begin behind the first mark to begin between words', () => {
    const path = `/${'opt'.repeat(30)}/`;
    const between = 'six '.repeat(43);
    const clipped = clipPassage(
      `${'seven '.repeat(50)}${path}<mark>salt</mark> ${between}<mark>sea</mark> ${between}`,
    );
    expect(clipped).to.match(/^[opt/]*<mark>salt<\/mark> six/);
    expect(clipped).to.include('<mark>sea</mark>');
  });

  it('shows as much where the mark is the last word', () => {
    const clipped = clipPassage(`${'one seven eleven '.repeat(40)}Ends. <mark>word</mark>`);
    expect(clipped).to.match(/ Ends\. <mark>word<\/mark>$/);
    expect(visible(clipped).length).to.be.within(PASSAGE - 20, PASSAGE);
  });

  it('cuts a very long text in the same way', () => {
    for (const far of ['one &quot;seven&quot; eleven ', '&quot;']) {
      const [short, long] = [far.repeat(Math.ceil(1_800 / far.length)), far.repeat(5_000)];
      for (const marked of ['Ends. <mark>word</mark> here', '<mark>salt</mark> <mark>sea</mark>']) {
        expect(clipPassage(long + marked)).to.equal(clipPassage(short + marked));
        expect(clipPassage(marked + long)).to.equal(clipPassage(marked + short));
        expect(clipPassage(long + marked + long)).to.equal(clipPassage(short + marked + short));
      }
    }
  });

  it('opens a mark that it begins in', () => {
    const marked = `<mark>${'salt '.repeat(20)}salt</mark>`;
    const clipped = clipPassage(
      `${marked} z <mark>sea</mark> <mark>foam</mark> ${'z '.repeat(200)}`,
    );
    expect(clipped).to.match(/^<mark>salt /);
    expect(clipped.match(/<mark>/g)).to.have.length(3);
    expect(clipped.match(/<\/mark>/g)).to.have.length(3);
  });

  it('begins and ends with no space and no empty line', () => {
    const text = `${'one seven \n\n  eleven '.repeat(20)}<mark>word</mark> ${'six \n\n  '.repeat(90)}`;
    for (let more = 0; more < 30; more += 1) {
      const clipped = clipPassage(`${'z'.repeat(more)} ${text}`);
      expect(clipped).to.equal(clipped.trim());
      expect(clipped).to.include('<mark>word</mark>');
    }
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
    expect(clipped).to.equal(`<mark>w</mark>${' yyy'.repeat(59)}zz`);
  });

  it('never cuts an escaped sign in two', () => {
    const clipped = clipPassage(`<mark>w</mark>${'&quot;'.repeat(400)}`);
    expect(clipped).to.match(/^<mark>w<\/mark>(&quot;)+$/);
  });

  it('never cuts a character in two', () => {
    expect(clipPassage(`<mark>w</mark>${'👍'.repeat(400)}`)).to.match(/^<mark>w<\/mark>(👍)+$/u);
  });

  it('cuts no letter from its marks, and no emoji in two, where no words have spaces between them', () => {
    const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const texts = ['ที่นี่มีน้ำ', 'हिन्दी', '👩🏽‍💻', 'c🇫🇷🇩🇪', 'e\u0301\u0302'];
    for (const text of texts) {
      const letters = [...graphemes.segment(text)].map(({ segment }) => segment);
      for (let n = 0; n < 12; n += 1) {
        const rest = Array.from({ length: 400 }, (_, at) => letters[(at + n) % letters.length]);
        const clipped = clipPassage(`${rest.join('')}<mark>字</mark>${rest.join('')}`);
        const [before = '', behind = ''] = clipped.split('<mark>字</mark>');
        expect(rest.join('').endsWith(before) && rest.join('').startsWith(behind)).to.equal(true);
        for (const { segment } of [...graphemes.segment(before), ...graphemes.segment(behind)]) {
          expect(segment, text).to.be.oneOf(letters);
        }
      }
    }
    const marks = `e${'\u0301'.repeat(400)}`;
    expect(visible(clipPassage(`${marks}<mark>w</mark>${marks}`))).to.have.length(PASSAGE);
  });
});
