import { expect } from 'chai';
import { errorBodySchema } from '../../../shared/contract/errors.js';
import { startApi, type ApiServer } from '../../support/apiServer.js';

describe('search routes', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('asks for a query', async () => {
    for (const path of ['/api/search', '/api/suggest']) {
      for (const query of ['', '?q=', '?q=%20', '?q=a&q=b', `?q=${'x'.repeat(513)}`]) {
        const reply = await api.get(path + query);
        expect(reply.status, path + query).to.equal(400);
        expect(reply.body.toString()).to.contain('"path":"q"');
      }
    }
  });

  it('names every problem of a search', async () => {
    const reply = await api.get('/api/search?limit=0&offset=-1&type=x&minScore=2&after=soon');
    const { details } = reply.json() as { details: { path: string }[] };
    const named = details.map(({ path }) => path);
    expect(named).to.include.members(['q', 'limit', 'offset', 'type', 'minScore', 'after']);
  });

  it('answers 503, in the error shape, while there is no search index', async () => {
    const reply = await api.get('/api/search?q=hello');
    expect(reply.status).to.equal(503);
    expect(errorBodySchema.validate(reply.json()).error).to.equal(undefined);
    expect(reply.json()).to.include({ code: 'UNAVAILABLE' });
  });
});
