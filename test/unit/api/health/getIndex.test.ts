import { expect } from 'chai';
import { getIndex } from '../../../../services/api/health/getIndex.js';
import type { ApiIndex } from '../../../../shared/contract/health.js';
import { openApiDocument } from '../../../../shared/contract/openapi.js';
import { operations } from '../../../../shared/contract/operations.js';

describe('getIndex', () => {
  it('links to the first path of every operation, as the OpenAPI document writes it', async () => {
    const all = Object.values(operations);
    const index = getIndex(all);
    const { identity } = await index({} as Parameters<typeof index>[0]);
    const { links } = JSON.parse(identity!.toString()) as ApiIndex;
    expect(links.map(({ name }) => name)).to.deep.equal(Object.keys(operations));
    const documented = openApiDocument(all)['paths'] as object;
    for (const { name, href } of links) expect(documented, name).to.have.property(href);
    expect(links).to.deep.include({ name: 'getUser', href: '/users/{userId}' });
  });
});
