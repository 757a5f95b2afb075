import { expect } from 'chai';
import { createChildren } from '../../../services/local/children.js';
import { ensureServers } from '../../../services/local/ensureServers.js';
import { findLocalServers } from '../../../services/local/serversFile.js';
import { readSettings } from '../../../shared/platform/env.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const report = { line: () => undefined, progress: () => undefined };

describe('servers of a data folder', () => {
  it('are reported to the command line with the Redis of the cache that they were started with', () =>
    withTemporaryFolder(async (dataDir) => {
      const { MONGODB_URL, ELASTICSEARCH_URL } = readSettings();
      const given = { MONGODB_URL, ELASTICSEARCH_URL, CACHE_REDIS_URL: 'redis://127.0.0.1:1' };
      const env = { ...process.env, ...given, REDIS_URL: undefined };
      const children = createChildren();
      const servers = await ensureServers({ dataDir, env, report, children });
      try {
        const urls = { ...given, REDIS_URL: servers.urls.REDIS_URL };
        expect(servers.urls).to.deep.equal(urls);
        expect((await findLocalServers(dataDir))?.urls).to.deep.equal(urls);
      } finally {
        await servers.stop();
        await children.stopAll();
      }
    }));
});
