import { expect } from 'chai';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { cacheFolder } from '../../../services/local/cacheFolder.js';
import { otherUser } from '../../../services/local/otherUser.js';

describe('cacheFolder', () => {
  it('is in XDG_CACHE_HOME or the home, and never in the folder where the command runs', async () => {
    expect(await cacheFolder({ XDG_CACHE_HOME: '/opt' })).to.equal('/opt/forum-archive');
    for (const env of [{}, { HOME: '' }, { XDG_CACHE_HOME: '', HOME: '' }]) {
      const folder = await cacheFolder(env);
      expect(isAbsolute(folder), folder).to.equal(true);
      if (otherUser() === undefined)
        expect(folder).to.equal(join(userInfo().homedir, '.cache/forum-archive'));
    }
  });
});
