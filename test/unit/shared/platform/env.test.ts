import { expect } from 'chai';
import { readSettings } from '../../../../shared/platform/env.js';
import { SettingsError } from '../../../../shared/platform/settingsError.js';

describe('readSettings', () => {
  it('takes the usual words for true and false, in capital and small letters', () => {
    for (const word of ['true', '1', 'yes', 'on', 'YES', 'On', 'TRUE']) {
      const settings = readSettings({ DISABLE_AUTH: word, RATE_LIMIT_DISABLED: word });
      expect(settings, word).to.include({ DISABLE_AUTH: true, RATE_LIMIT_DISABLED: true });
    }
    for (const word of ['false', '0', 'no', 'off', 'NO', 'Off', 'False']) {
      const settings = readSettings({ DISABLE_AUTH: word, RATE_LIMIT_DISABLED: word });
      expect(settings, word).to.include({ DISABLE_AUTH: false, RATE_LIMIT_DISABLED: false });
    }
  });

  it('refuses DISABLE_AUTH in production, whatever the word', () => {
    const production = { NODE_ENV: 'production', DISABLE_AUTH: 'on' };
    expect(() => readSettings(production)).to.throw(SettingsError, /must not be set/);
    expect(readSettings({ ...production, DISABLE_AUTH: 'off' }).DISABLE_AUTH).to.equal(false);
  });

  it('takes production, development and test for NODE_ENV, and no other word', () => {
    for (const NODE_ENV of ['production', 'development', 'test']) {
      expect(readSettings({ NODE_ENV })).to.include({ NODE_ENV });
    }
    expect(readSettings({})).not.to.have.property('NODE_ENV');
    for (const NODE_ENV of ['Production', 'prod', 'staging']) {
      const { message } = errorOf(() => readSettings({ NODE_ENV, DISABLE_AUTH: 'true' }));
      expect(message, NODE_ENV).to.equal(
        'Wrong setting: NODE_ENV must be one of [production, development, test]',
      );
    }
  });

  it('ignores white space around a value, such as the line ends of Windows', () => {
    const url = 'mongodb://127.0.0.1/archive';
    const settings = {
      MONGODB_URL: url,
      PUBLIC_URL: 'https://forum.example',
      LOG_LEVEL: 'warn',
      DISCORD_BOT_TOKEN: 'a.b-c',
    };
    const given = Object.entries(settings).map(([name, value]) => [name, ` ${value}\r`] as const);
    expect(readSettings(Object.fromEntries(given))).to.include(settings);
  });

  it('says what ids a setting must hold', () => {
    const wrong = { ADMIN_USER_IDS: 'me', DISCORD_CLIENT_ID: 'x', DISCORD_ALSO_CHANNELS: '"1"' };
    expect(errorOf(() => readSettings(wrong)).message.split('\n')).to.have.members([
      'Wrong setting: ADMIN_USER_IDS must be ids of users, comma separated',
      'Wrong setting: DISCORD_CLIENT_ID must be the id of an application',
      'Wrong setting: DISCORD_ALSO_CHANNELS must be ids of channels, comma separated',
    ]);
  });

  it('takes 1 to 256 processes of the API', () => {
    for (const count of [1, 256]) {
      expect(readSettings({ API_PROCESSES: String(count) }).API_PROCESSES).to.equal(count);
    }
    for (const wrong of ['0', '257', '1.5', 'all']) {
      const read = () => readSettings({ API_PROCESSES: wrong });
      expect(read, wrong).to.throw(SettingsError, /API_PROCESSES/);
    }
    expect(readSettings({})).not.to.have.property('API_PROCESSES');
  });

  it('takes a niceness of 0 to 19, and no negative one, which would overtake others', () => {
    for (const nice of ['0', '19']) {
      expect(readSettings({ BACKGROUND_NICE: nice }).BACKGROUND_NICE).to.equal(Number(nice));
    }
    expect(readSettings({}).BACKGROUND_NICE).to.equal(10);
    for (const wrong of ['-1', '20', '1.5', 'low']) {
      const read = () => readSettings({ BACKGROUND_NICE: wrong });
      expect(read, wrong).to.throw(SettingsError, /BACKGROUND_NICE must be/);
    }
  });

  it('takes whole numbers from the least to the most that each setting allows, and no other', () => {
    const ranges: [name: string, least: number, most: number][] = [
      ['ACCESS_TOKEN_SECONDS', 60, 604_800],
      ['ADMIN_TOKEN_SECONDS', 60, 86_400],
      ['REFRESH_TOKEN_SECONDS', 60, 31_536_000],
      ['RATE_LIMIT_READS', 1, 1_000_000_000],
      ['RATE_LIMIT_SEARCHES', 1, 1_000_000_000],
      ['RATE_LIMIT_FAILED_CREDENTIALS', 1, 1_000_000_000],
      ['RATE_LIMIT_CALLER', 1, 1_000_000_000],
      ['AUDIT_DAYS', 1, 3_650],
      ['SYNC_EVERY_MINUTES', 1, 1_440],
      ['REREAD_EVERY_SECONDS', 1, 3_600],
      ['REREAD_AFTER_HOURS', 1, 8_760],
      ['MIRROR_MAX_FILE_MB', 1, 1_000],
      ['MIRROR_MAX_TOTAL_GB', 1, 1_000_000],
      ['CACHE_MEGABYTES', 0, 65_536],
      ['INDEXER_CONCURRENCY', 1, 256],
    ];
    for (const [name, least, most] of ranges) {
      for (const right of [least, most]) {
        expect(readSettings({ [name]: String(right) })).to.include({ [name]: right });
      }
      for (const wrong of [least - 1, most + 1, least + 0.5]) {
        const read = () => readSettings({ [name]: String(wrong) });
        expect(read, `${name} ${wrong}`).to.throw(SettingsError, `: ${name} must be`);
      }
    }
  });

  it('takes secrets from the fewest characters on', () => {
    for (const [name, fewest] of [
      ['JWT_SECRET', 32],
      ['METRICS_TOKEN', 16],
    ] as const) {
      const right = 'x'.repeat(fewest);
      expect(readSettings({ [name]: right })).to.include({ [name]: right });
      const read = () => readSettings({ [name]: right.slice(1) });
      expect(read).to.throw(SettingsError, `: ${name} length must be at least ${fewest}`);
    }
  });

  it('lets nobody set where the indexer kills itself in production', () => {
    const FAULT_POINTS = 'bulkSent:1';
    const production = { NODE_ENV: 'production', FAULT_POINTS };
    expect(() => readSettings(production)).to.throw(SettingsError, /: FAULT_POINTS must not be/);
    for (const wrong of ['elsewhere:1', 'bulkSent', 'bulkSent:0', 'bulkSent:1,']) {
      const read = () => readSettings({ FAULT_POINTS: wrong });
      expect(read, wrong).to.throw(SettingsError, /: FAULT_POINTS/);
    }
    expect(readSettings({ FAULT_POINTS })).to.include({ FAULT_POINTS });
  });

  it('names settings of addresses and tokens that are none, and not what they hold', () => {
    const wrong = {
      DISCORD_REDIRECT_URI: 'ftp://planted.example',
      DISCORD_BOT_TOKEN: 'Bot planted',
      LOCAL_ES_HEAP: '1 planted',
    };
    const { message } = errorOf(() => readSettings(wrong));
    const lines = message.split('\n').map((line) => line.split(' ', 3)[2]);
    expect(lines).to.have.members(Object.keys(wrong));
    expect(message).not.to.contain('planted');
  });

  it('leaves out slashes at the end of a URL that paths are appended to', () => {
    const read = readSettings({
      PUBLIC_URL: 'https://archive.example/forum//',
      DISCORD_API_URL: 'https://platform.example/api/',
      DISCORD_CDN_URL: 'https://files.example/',
    });
    expect(read).to.include({
      PUBLIC_URL: 'https://archive.example/forum',
      DISCORD_API_URL: 'https://platform.example/api',
      DISCORD_CDN_URL: 'https://files.example',
    });
  });

  it('refuses a URL that no path can be appended to, or that would show a password to readers', () => {
    for (const name of ['PUBLIC_URL', 'DISCORD_API_URL', 'DISCORD_CDN_URL']) {
      for (const wrong of [
        'https://a.example/?b',
        'https://a.example#b',
        'https://me:pw@a.example/',
      ]) {
        const { message } = errorOf(() => readSettings({ [name]: wrong }));
        expect(message, wrong).to.equal(
          `Wrong setting: ${name} must have no user, no query and no fragment`,
        );
      }
      const right = 'https://a.example:8443/@forum';
      expect(readSettings({ [name]: right })).to.include({ [name]: right });
    }
  });

  it('refuses a METRICS_TOKEN that no request could send', () => {
    for (const wrong of ['sixteen letters and spaces', 'schlüssel-schlüssel']) {
      const read = () => readSettings({ METRICS_TOKEN: wrong });
      expect(read, wrong).to.throw(SettingsError, /^Wrong setting: METRICS_TOKEN must hold only/);
    }
    const token = 'T0ken/+=.~_-!$&9';
    expect(readSettings({ METRICS_TOKEN: token })).to.include({ METRICS_TOKEN: token });
  });

  it('names the URL whose password has a special character that is not encoded', () => {
    const wrong = {
      REDIS_URL: 'redis://:50%off@127.0.0.1:6379',
      CACHE_REDIS_URL: 'redis://:a/b@127.0.0.1',
      ELASTICSEARCH_URL: 'http://10.0.0.1:9200,http://me:50%off@10.0.0.2:9200',
    };
    for (const [name, url] of Object.entries(wrong)) {
      const { message } = errorOf(() => readSettings({ [name]: url }));
      expect(message).to.match(new RegExp(`^Wrong setting: ${name} .*written as in %2F`));
    }
    const right = {
      REDIS_URL: 'redis://:50%25off@127.0.0.1:6379/3',
      CACHE_REDIS_URL: 'rediss://me:a%2Fb@127.0.0.1/',
      ELASTICSEARCH_URL: 'http://me:50%25off@10.0.0.2:9200',
    };
    expect(readSettings(right)).to.include(right);
  });

  it('refuses a text that is no URL of a Redis, and a database that is no number', () => {
    const read = () => readSettings({ REDIS_URL: 'redis://127.0.0.1:6379/forum' });
    for (const REDIS_URL of ['127.0.0.1:6379', 'redis', 'https://127.0.0.1:6379']) {
      const noUrl = () => readSettings({ REDIS_URL });
      expect(noUrl, REDIS_URL).to.throw(SettingsError, /REDIS_URL must be a redis or rediss URL/);
    }
    expect(read).to.throw(SettingsError, /REDIS_URL must have no path but the number/);
  });

  it('takes the addresses of several members of MongoDB and Elasticsearch', () => {
    const MONGODB_URL =
      'mongodb://me:secret@10.0.0.1:27017,10.0.0.2:27017,c/archive?replicaSet=rs0';
    const ELASTICSEARCH_URL = 'http://10.0.0.1:9200,https://b:9200';
    const urls = { MONGODB_URL, ELASTICSEARCH_URL };
    expect(readSettings(urls)).to.include(urls);
    for (const wrong of ['http://a,b:9200', 'http://a,', 'redis://a']) {
      const read = () => readSettings({ ELASTICSEARCH_URL: wrong });
      expect(read, wrong).to.throw(SettingsError, /ELASTICSEARCH_URL must be an http or https URL/);
    }
    const read = () => readSettings({ MONGODB_URL: 'mongo://a/b' });
    expect(read).to.throw(SettingsError, /MONGODB_URL must begin with mongodb:/);
  });

  it('takes origins as browsers send them, or *', () => {
    for (const CORS_ORIGINS of [
      '*',
      'https://forum.example',
      'https://a.example, http://localhost:8080,https://[::1]:444',
      '*, https://a.example',
      'capacitor://localhost,chrome-extension://abcdefghijklmnop',
    ]) {
      expect(readSettings({ CORS_ORIGINS })).to.include({ CORS_ORIGINS });
    }
    expect(readSettings({ CORS_ORIGINS: '' })).to.include({ CORS_ORIGINS: '*' });
    for (const wrong of [
      'https://forum.example/',
      'https://forum.example/page',
      'https://Forum.example',
      'https://forum.example:443',
      'https://żółw.example',
      'https://user@forum.example',
      'https://*.example',
      'forum.example',
      'localhost:8080',
      'true',
      'null',
      'file:///page.html',
      'https://a.example,',
      'https://a.example https://b.example',
    ]) {
      const { message } = errorOf(() => readSettings({ CORS_ORIGINS: wrong }));
      expect(message.split('\n'), wrong).to.have.length(1);
      expect(message, wrong).to.match(/^Wrong setting: CORS_ORIGINS must (?:be|name) /);
    }
  });

  it('takes names and ids of roles that leave people out, but not everyone', () => {
    for (const given of ['No Archive', '310000000000000001, @quiet', 'Everyone else', '']) {
      expect(readSettings({ OPT_OUT_ROLE: given }).OPT_OUT_ROLE).to.equal(given);
    }
    for (const wrong of ['@everyone', 'quiet, Everyone', 'x'.repeat(101), ',', ' ', '@, @']) {
      const read = () => readSettings({ OPT_OUT_ROLE: wrong });
      expect(read, wrong).to.throw(SettingsError, /OPT_OUT_ROLE must/);
    }
  });

  it('takes a folder or a bucket for copies of files, and says what is missing', () => {
    const keys = { MIRROR_S3_ACCESS_KEY: 'a', MIRROR_S3_SECRET_KEY: 'b' };
    const bucket = { MIRROR_S3_BUCKET: 'files', ...keys };
    expect(readSettings(bucket)).to.include({ ...bucket, MIRROR_S3_REGION: 'us-east-1' });
    expect(readSettings({ MIRROR_FOLDER: '/mirror' })).to.include({ MIRROR_MAX_FILE_MB: 25 });
    const MIRROR_TYPES = 'image/*, text/x-c++,application/vnd.a-b.c';
    expect(readSettings({ MIRROR_TYPES })).to.include({ MIRROR_TYPES });
    const wrong: [Record<string, string>, RegExp][] = [
      [
        { ...bucket, MIRROR_FOLDER: '/mirror' },
        /: MIRROR_FOLDER and MIRROR_S3_BUCKET must not both/,
      ],
      [
        { ...bucket, MIRROR_S3_ACCESS_KEY: '' },
        /: MIRROR_S3_ACCESS_KEY must be set beside MIRROR_S3_BUCKET/,
      ],
      [
        { ...bucket, MIRROR_S3_SECRET_KEY: '' },
        /: MIRROR_S3_SECRET_KEY must be set beside MIRROR_S3_BUCKET/,
      ],
      [{ MIRROR_S3_ACCESS_KEY: 'a' }, /: MIRROR_S3_BUCKET must be set beside MIRROR_S3_ACCESS_KEY/],
      [{ MIRROR_S3_SECRET_KEY: 'b' }, /: MIRROR_S3_BUCKET must be set beside MIRROR_S3_SECRET_KEY/],
      [
        { MIRROR_S3_ENDPOINT: 'http://s3' },
        /: MIRROR_S3_BUCKET must be set beside MIRROR_S3_ENDPOINT/,
      ],
      [{ ...bucket, MIRROR_S3_BUCKET: 'No Bucket' }, /: MIRROR_S3_BUCKET must be the name/],
      [{ MIRROR_TYPES: 'images' }, /: MIRROR_TYPES must name types such as/],
      [{ MIRROR_MAX_FILE_MB: '0' }, /: MIRROR_MAX_FILE_MB must be greater/],
    ];
    for (const [given, message] of wrong) {
      const { message: said } = errorOf(() => readSettings(given));
      expect(said.split('\n'), said).to.have.length(1);
      expect(said).to.match(message);
    }
    const bare = errorOf(() => readSettings({ MIRROR_S3_BUCKET: 'files' }));
    expect(bare.message.split('\n'), 'a bucket without its keys').to.have.length(2);
  });

  it('names every wrong setting, in a line of its own', () => {
    const wrong = {
      PORT: '70000.5',
      RATE_LIMIT_DISABLED: 'maybe',
      MONGODB_URL: 'http://x',
      // This is wrong in two ways.
      ADMIN_TOKEN_SECONDS: '1.5',
    };
    const read = () => readSettings(wrong);
    expect(read).to.throw(SettingsError).with.property('name', 'SettingsError');
    const { message } = errorOf(read);
    const lines = message.split('\n').sort();
    expect(lines.map((line) => line.split(' ').slice(0, 3).join(' '))).to.deep.equal([
      'Wrong setting: ADMIN_TOKEN_SECONDS',
      'Wrong setting: MONGODB_URL',
      'Wrong setting: PORT',
      'Wrong setting: RATE_LIMIT_DISABLED',
    ]);
    expect(lines[3]).to.contain('must be true or false (1 or 0, yes or no, on or off)');
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

function errorOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown');
}
