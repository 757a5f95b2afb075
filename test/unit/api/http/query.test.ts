import { expect } from 'chai';
import Joi from 'joi';
import { checkUrl, queryReader } from '../../../../services/api/http/query.js';
import { AppError } from '../../../../shared/contract/errors.js';
import { searchQuerySchema } from '../../../../shared/contract/search.js';
import { threadListQuerySchema } from '../../../../shared/contract/threads.js';
import { processorTime } from '../../../support/processorTime.js';

const read = queryReader(threadListQuerySchema);

function problems(text: string, reader: (text: string) => unknown = read): string[] {
  try {
    reader(text);
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    return (error as AppError).details?.map(({ path }) => path) ?? [];
  }
}

describe('queryReader', () => {
  it('fills in defaults and converts numbers', () => {
    expect(read('')).to.deep.equal({ status: 'all', sort: 'latest', limit: 20 });
    expect(read('limit=7&tag=c%2B%2B')).to.include({ limit: 7, tag: 'c++' });
  });

  it('ignores unknown parameters, whatever they are called or however often they come', () => {
    const odd = 'utm_source=x&utm_source=y&__proto__=1&constructor=2&%00=3&toString=4&=5&&&';
    expect(read(odd)).to.deep.equal(read(''));
    expect(({} as Record<string, unknown>)['1']).to.equal(undefined);
  });

  it('names the first problem of each parameter', () => {
    expect(() => read('sort=')).to.throw(AppError, /^sort must be one of [^;]+$/);
  });

  it('names every problem at once', () => {
    expect(problems('limit=0&sort=best&status=archived&serverId=')).to.have.members([
      'limit',
      'sort',
      'status',
      'serverId',
    ]);
  });

  for (const limit of [
    '0',
    '101',
    '-1',
    '1.5',
    'ten',
    '',
    ' ',
    '1e9',
    'NaN',
    'Infinity',
    '١٢',
    '1e1',
    '05',
    ' 5',
    '5 ',
    '+5',
    '0x10',
    '5.0',
    '-0',
    '5_0',
  ]) {
    it(`refuses the limit ${JSON.stringify(limit)}`, () => {
      expect(problems(`limit=${encodeURIComponent(limit)}`)).to.deep.equal(['limit']);
    });
  }

  it('tells one problem of each parameter, and none that follows from it', () => {
    expect(problems('status=&sort=&limit=')).to.deep.equal(['status', 'sort', 'limit']);
    const search = queryReader(searchQuerySchema);
    expect(problems('q=a&q=b&q=c', search)).to.deep.equal(['q']);
    expect(problems('q=%zz&q=b', search)).to.deep.equal(['q']);
    expect(problems('q=%zz', search)).to.deep.equal(['q']);
    expect(problems('q=a&offset=01', search)).to.deep.equal(['offset']);
  });

  it('ignores broken encoding in unknown parameters, and refuses it in known ones', () => {
    expect(read('utm_source=%zz&%ff=1&%=2')).to.deep.equal(read(''));
    for (const broken of ['%', '%zz', '%ff', '%c3%28']) {
      expect(problems(`tag=${broken}`), broken).to.deep.equal(['tag']);
    }
    expect(read('t%61g=%E2%82%AC+%2B')).to.include({ tag: '€ +' });
  });

  it('refuses a parameter given twice, even with the same value', () => {
    expect(problems('sort=latest&sort=latest&limit=3')).to.deep.equal(['sort']);
    expect(problems('tag=a&tag=b&limit=1000')).to.have.members(['tag', 'limit']);
  });

  it('refuses blank values', () => {
    expect(problems('tag=%20%20&cursor=')).to.have.members(['tag', 'cursor']);
  });

  it('takes time in proportion to separators', () => {
    // One reading is too short to be measured.
    const readOften = (query: string) => {
      for (let times = 0; times < 20; times += 1) read(query);
    };
    const limit = 30 * processorTime(() => readOften('a&'.repeat(1_024)));
    expect(processorTime(() => readOften('a&'.repeat(8_192)), limit)).to.be.below(limit);
  });

  it('takes hardly more time for broken encodings than for others', () => {
    const readOften = (pair: string) => {
      const query = pair.repeat(1_000);
      for (let times = 0; times < 20; times += 1) problems(query);
    };
    for (const [broken, whole] of [
      ['%ff=&', 'aff=&'],
      ['tag=%ff&', 'tag=aff&'],
    ] as const) {
      const limit = 8 * processorTime(() => readOften(whole));
      expect(
        processorTime(() => readOften(broken), limit),
        broken,
      ).to.be.below(limit);
    }
  });

  it('works for a schema without parameters', () => {
    expect(queryReader(Joi.object({}))('a=1')).to.deep.equal({});
  });
});

describe('checkUrl', () => {
  it('takes what is well encoded', () => {
    checkUrl('/api/threads/%E2%82%AC', 'q=a+b%20c&x=%00');
    checkUrl('/', 'a'.repeat(8_192));
  });

  it('refuses what is not', () => {
    for (const [path, query] of [
      ['/%', ''],
      ['/%zz', ''],
      ['/%ff', ''],
      ['/', 'a'.repeat(8_193)],
    ] as const) {
      expect(() => checkUrl(path, query), path + query.slice(0, 9)).to.throw(AppError);
    }
  });
});
