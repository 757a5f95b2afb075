import { expect } from 'chai';
import Joi from 'joi';
import { route } from '../../../../services/api/http/route.js';
import { operation, type Access, type Operation } from '../../../../shared/contract/operation.js';
import { readSettings } from '../../../../shared/platform/env.js';
import { SettingsError } from '../../../../shared/platform/settingsError.js';

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

describe('settings of credentials', () => {
  it('refuse DISABLE_AUTH in production', () => {
    const production = { NODE_ENV: 'production', DISABLE_AUTH: 'true' };
    expect(() => readSettings(production)).to.throw(SettingsError, /DISABLE_AUTH must not be set/);
    expect(readSettings({ NODE_ENV: 'development', DISABLE_AUTH: 'true' }).DISABLE_AUTH).to.equal(
      true,
    );
    expect(readSettings({ NODE_ENV: 'production' }).DISABLE_AUTH).to.equal(false);
  });

  it('refuse a short secret without showing it', () => {
    const read = () => readSettings({ JWT_SECRET: 'planted-short-secret' });
    expect(read)
      .to.throw(SettingsError, /JWT_SECRET/)
      .and.not.match(/planted/);
    expect(read).to.throw(SettingsError).with.property('message').that.does.not.contain('planted');
  });

  it('refuse lists of administrators that are none', () => {
    for (const list of ['ada', '1,,2', '1;2']) {
      expect(() => readSettings({ ADMIN_USER_IDS: list }), list).to.throw(/ADMIN_USER_IDS/);
    }
    expect(readSettings({ ADMIN_USER_IDS: '1 , 22' }).ADMIN_USER_IDS).to.equal('1 , 22');
  });
});
