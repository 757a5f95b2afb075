import { expect } from 'chai';
import { hidePassword } from '../../../services/local/hidePassword.js';
import { nextSteps } from '../../../services/local/nextSteps.js';
import { runCli } from '../../support/runCli.js';

const RUNNING = { apiUrl: 'http://127.0.0.1:3000', servers: [], logs: '/logs', environment: {} };

describe('nextSteps', () => {
  it('tells commands that find the same archive from another terminal', () => {
    const text = nextSteps({ ...RUNNING, environment: { DATA_DIR: "/srv/bo's archive" } });
    const command = "  DATA_DIR='/srv/bo'\\''s archive' npm run archive -- keys create ";
    expect(text).to.include(command);
  });

  it('tells them without passwords', () => {
    const environment = { REDIS_URL: 'redis://:secret@queue:6379/1' };
    const text = nextSteps({ ...RUNNING, environment });
    expect(text).to.not.include('secret');
    expect(text).to.include("  REDIS_URL='redis://:***@queue:6379/1' npm run archive -- import ");
  });

  it('tells where each server answers, without their passwords', () => {
    const servers = [
      { name: 'MongoDB', url: 'mongodb+srv://u:secret@db/forum' },
      { name: 'Elasticsearch', url: 'https://elastic:secret@search:9200' },
      { name: 'Redis', url: 'redis://:secret@queue:6379/1' },
    ];
    const text = nextSteps({ ...RUNNING, servers });
    expect(text).to.not.include('secret');
    expect(text).to.include('  MongoDB        mongodb+srv://u:***@db/forum\n');
    expect(text).to.include('https://elastic:***@search:9200\n');
    expect(text).to.include('redis://:***@queue:6379/1\n');
  });

  it('tells at the end how to get a first key', async () => {
    const text = nextSteps(RUNNING);
    const [, command = ''] = /^ {2}npm run archive -- (keys create .*)$/m.exec(text) ?? [];
    expect(text).to.include("curl -H 'X-API-Key: <key>' 'http://127.0.0.1:3000/admin/stats'");
    // The command line knows this command and its options.
    const shown = await runCli({}, [...command.split(' '), '--help']);
    expect(shown.code, shown.stderr).to.equal(0);
    for (const [option] of command.matchAll(/--\w+/g)) expect(shown.stdout).to.include(option);
  });
});

describe('hidePassword', () => {
  for (const [url, shown] of [
    ['mongodb://u:secret@a:1,b:2/forum?w=1', 'mongodb://u:***@a:1,b:2/forum?w=1'],
    ['redis://u:secret:s@secret@queue', 'redis://u:***@queue'],
    ['http://u:secret@a:1,https://v:secret@b:2', 'http://u:***@a:1,https://v:***@b:2'],
    ['http://a:1, http://u:secret@b:2', 'http://a:1, http://u:***@b:2'],
    ['redis://queue?db=1&password=secret&x=1', 'redis://queue?db=1&password=***&x=1'],
    [
      'mongodb://a/?authMechanismProperties=AWS_SESSION_TOKEN:secret',
      'mongodb://a/?authMechanismProperties=***',
    ],
  ] as const) {
    it(`hides what is secret in ${url}`, () => {
      expect(hidePassword(url)).to.equal(shown);
    });
  }

  for (const url of [
    'mongodb://127.0.0.1:27017/forum?directConnection=true',
    'mongodb://a:1,b:2/forum?appName=a:b@c',
    'redis://user@queue:6379',
    'http://[::1]:9200/',
  ]) {
    it(`leaves ${url} as it is`, () => {
      expect(hidePassword(url)).to.equal(url);
    });
  }
});
