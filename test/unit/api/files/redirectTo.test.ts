import { expect } from 'chai';
import { redirectTo } from '../../../../services/api/files/redirectTo.js';

describe('redirectTo', () => {
  it('makes a header of a link with any characters', () => {
    const { headers } = redirectTo('https://cdn.example/attachments/1/2/файл\n.png?ex=6&is=5');
    expect(headers).to.deep.equal({
      Location: 'https://cdn.example/attachments/1/2/%D1%84%D0%B0%D0%B9%D0%BB.png?ex=6&is=5',
    });
  });
});
