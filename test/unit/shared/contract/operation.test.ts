import { expect } from 'chai';
import Joi from 'joi';
import { route } from '../../../../services/api/http/route.js';
import { operation, type Access, type Operation } from '../../../../shared/contract/operation.js';

function declared(path: string, access: Access): Operation {
  return operation<unknown, unknown, unknown>({
    operationId: 'x',
    method: 'get',
    access,
    paths: ['/other', path],
    summary: '',
    params: Joi.object(),
    query: Joi.object(),
    response: Joi.object(),
    errors: [],
  });
}

describe('operation', () => {
  it('refuses to make a path under /admin public', () => {
    for (const path of ['/admin', '/admin/x', '/api/admin/x']) {
      for (const access of ['public', 'me', undefined as unknown as Access] as const) {
        expect(() => declared(path, access), `${path} ${access}`).to.throw(TypeError, /admin/);
      }
      expect(declared(path, 'read').access).to.equal('read');
    }
    expect(declared('/administration', 'public').access).to.equal('public');
  });

  it('is never kept in the cache where it depends on a credential', () => {
    const answer = () => Promise.reject(new Error('unused'));
    const keep = () => ({ tags: [] });
    expect(() => route(declared('/x', 'me'), answer, keep)).to.throw(
      TypeError,
      /must not be cached/,
    );
    expect(() => route(declared('/x', 'public'), answer, keep)).not.to.throw();
  });
});
