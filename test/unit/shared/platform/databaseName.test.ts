import { expect } from 'chai';
import { databaseName } from '../../../../shared/platform/clients.js';

describe('databaseName', () => {
  it('is the path of the URL, or else that of the service', () => {
    expect(databaseName('mongodb://ada:b@a:1,b:2/wiki-1?replicaSet=rs0')).to.equal('wiki-1');
    expect(databaseName('mongodb+srv://a.example/w%C3%BCrmer')).to.equal('würmer');
    expect(databaseName('mongodb://a.example/?replicaSet=rs0')).to.equal('forum-archive');
    expect(databaseName('mongodb://a.example')).to.equal('forum-archive');
  });

  it('refuses a name that MongoDB does not allow', () => {
    const names = ['a.b', 'a/b', 'a%2Fb', 'a%20b', 'a%22b', 'a$b', 'a%5Cb', 'x'.repeat(64)];
    for (const name of names) {
      expect(() => databaseName(`mongodb://a.example/${name}`), name)
        .to.throw(`Wrong setting: MONGODB_URL names the database "`)
        .with.property('message')
        .that.matches(/": MongoDB takes at most 63 bytes, without \/ \\ \. " \$ and spaces$/);
    }
    expect(databaseName(`mongodb://a.example/${'x'.repeat(63)}`)).to.have.length(63);
  });

  it('refuses a name that MongoDB reserves', () => {
    for (const name of ['admin', 'config', 'local']) {
      expect(() => databaseName(`mongodb://a.example/${name}`)).to.throw(
        `Wrong setting: MONGODB_URL names the database "${name}", which MongoDB reserves`,
      );
    }
  });
});
