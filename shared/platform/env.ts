import Joi from 'joi';
import { FAULT_POINTS } from './faultPoint.js';
import { keysOf } from './keysOf.js';
import { parseUrl } from './parseUrl.js';
import { SettingsError } from './settingsError.js';
import { readTrustedProxies, type TrustedProxies } from './trustedProxies.js';

/** The checked settings of a process. The schema holds their defaults; README lists them. */
export interface Settings {
  HOST: string;
  PORT: number;
  API_PROCESSES?: number;
  PUBLIC_URL?: string;
  MONGODB_URL: string;
  ELASTICSEARCH_URL: string;
  REDIS_URL: string;
  CACHE_REDIS_URL?: string;
  CORS_ORIGINS: string;
  LOG_ADDRESSES: boolean;
  AUDIT_DAYS: number;
  AUDIT_READS: boolean;
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  DATA_DIR: string;
  LOCAL_ES_HEAP: string;
  RESOLVED_TAGS: string;
  SEARCH_SYNONYMS?: string;
  TRUST_PROXY: TrustedProxies;
  DISABLE_AUTH: boolean;
  JWT_SECRET?: string;
  ACCESS_TOKEN_SECONDS: number;
  ADMIN_TOKEN_SECONDS: number;
  REFRESH_TOKEN_SECONDS: number;
  ADMIN_USER_IDS: string;
  DISCORD_CLIENT_ID?: string;
  DISCORD_CLIENT_SECRET?: string;
  DISCORD_REDIRECT_URI?: string;
  DISCORD_BOT_TOKEN?: string;
  DISCORD_ALSO_CHANNELS: string;
  OPT_OUT_ROLE: string;
  SYNC_EVERY_MINUTES: number;
  REREAD_EVERY_SECONDS: number;
  REREAD_AFTER_HOURS: number;
  MIRROR_FOLDER?: string;
  MIRROR_S3_BUCKET?: string;
  MIRROR_S3_ENDPOINT?: string;
  MIRROR_S3_REGION: string;
  MIRROR_S3_ACCESS_KEY?: string;
  MIRROR_S3_SECRET_KEY?: string;
  MIRROR_TYPES: string;
  MIRROR_MAX_FILE_MB: number;
  MIRROR_MAX_TOTAL_GB: number;
  DISCORD_API_URL: string;
  DISCORD_CDN_URL: string;
  DISCORD_AUTHORIZE_URL: string;
  RATE_LIMIT_READS: number;
  RATE_LIMIT_SEARCHES: number;
  RATE_LIMIT_FAILED_CREDENTIALS: number;
  RATE_LIMIT_CALLER: number;
  RATE_LIMIT_DISABLED: boolean;
  CACHE_MEGABYTES: number;
  INDEXER_CONCURRENCY: number;
  BACKGROUND_NICE: number;
  METRICS_TOKEN?: string;
  METRICS_PORT?: number;
  FAULT_POINTS?: string;
  NODE_ENV?: 'production' | 'development' | 'test';
}

/** The longest lifetime of a service token (seconds). */
export const LONGEST_TOKEN_SECONDS = 604_800;

/** The words for true and false in settings, ignoring case. */
const onOrOff = () =>
  Joi.boolean().truthy('1', 'yes', 'on').falsy('0', 'no', 'off').messages({
    'boolean.base': '{{#label}} must be true or false (1 or 0, yes or no, on or off)',
  });

/** The fewest characters that JWT_SECRET may have. */
export const SHORTEST_SECRET = 32;

const url = () => Joi.string().uri({ scheme: ['http', 'https'] });
/**
 * A URL that paths are appended to, without a slash at the end. It holds no password, because readers see it in links,
 * and `fetch` takes none in a URL.
 */
const baseUrl = () =>
  url()
    .replace(/\/+$/, '')
    .pattern(/^\w+:\/\/[^/?#@]+(?:\/[^?#]*)?$/, 'address')
    .messages({
      'string.pattern.name': '{{#label}} must have no user, no query and no fragment',
    });

/** A text that `read` checks. Where `read` throws, its message follows the name of the variable. */
const checkedBy = (read: (text: string) => unknown) =>
  Joi.string().custom(read).messages({ 'any.custom': '{{#label}} {{#error.message}}' });

/** Ids of `what`, comma separated, or nothing. */
const idsOf = (what: string) =>
  Joi.string()
    .pattern(/^\s*(?:\d{1,20}\s*(?:,\s*\d{1,20}\s*)*)?$/, 'ids')
    .messages({ 'string.pattern.name': `{{#label}} must be ids of ${what}, comma separated` })
    .default('');

const seconds = (least: number, most: number) => Joi.number().integer().min(least).max(most);

const perMinute = (limit: number, what: string) =>
  Joi.number()
    .integer()
    .min(1)
    .max(1_000_000_000)
    .default(limit)
    .description(`${what} in a minute`);

/** Checks the addresses of a cluster's nodes. The message that it throws follows the name of the variable. */
function readNodes(text: string): string {
  for (const node of text.split(',')) {
    const url = parseUrl(node);
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw new TypeError('must be an http or https URL, or several, comma separated');
    }
    checkUser(url);
  }
  return text;
}

/** Checks the address of a Redis. The message that it throws follows the name of the variable. */
function readRedis(text: string): string {
  const url = parseUrl(text);
  if (!url || !/^rediss?:$/.test(url.protocol)) {
    throw new TypeError(`must be a redis or rediss URL; ${ENCODED_USER}`);
  }
  if (!/^(?:\/\d*)?$/.test(url.pathname)) {
    throw new TypeError('must have no path but the number of a database, such as /1');
  }
  checkUser(url);
  return text;
}

const ENCODED_USER = 'a special character of a password is written as in %2F';

/**
 * Checks the user and password of an address. Without this, the drivers fail when they are created, and do not name the
 * setting.
 */
function checkUser({ username, password }: URL): void {
  try {
    decodeURIComponent(username + password);
  } catch {
    throw new TypeError(`has a % that stands for no character; ${ENCODED_USER}`);
  }
}

/** Checks origins of pages. The message that it throws follows the name of the variable. */
function readOrigins(text: string): string {
  if (text.split(',').every((one) => isOrigin(one.trim()))) return text;
  throw new TypeError(
    'must be * or name origins as browsers send them, such as https://forum.example, comma separated',
  );
}

/**
 * Whether a text is `*`, or an origin as browsers write it: scheme, host, and the port unless it is the scheme's
 * default.
 */
function isOrigin(text: string): boolean {
  if (text === '*') return true;
  const url = parseUrl(text);
  if (!url?.host || url.host.includes('*')) return false;
  // `url.origin` knows only the schemes of the web. Pages of apps and browser extensions have others.
  return text === `${url.protocol}//${url.host}`;
}

/** The most characters of a role's name. */
const LONGEST_ROLE = 100;

/** Checks names and ids of roles. The message that it throws follows the name of the variable. */
function readRoles(text: string): string {
  const entries = text.split(',').map((one) => one.trim());
  // Without a role, nobody would be left out. Only an empty setting may mean that.
  if (entries.every((entry) => /^@?$/.test(entry))) {
    throw new TypeError('must name a role');
  }
  for (const entry of entries) {
    if (/^@?everyone$/i.test(entry)) throw new TypeError('must not name everyone');
    if (entry.length > LONGEST_ROLE) {
      throw new TypeError(
        `must name roles by their ids, or by names of ${LONGEST_ROLE} characters`,
      );
    }
  }
  return text;
}

/** Checks names of media types. The message that it throws follows the name of the variable. */
function readTypes(text: string): string {
  if (text.split(',').every((one) => /^[\w.+-]+\/(?:[\w.+-]+|\*)$/.test(one.trim()))) return text;
  throw new TypeError('must name types such as image/png or image/*, comma separated');
}

/** Settings of the environment, by variable name. */
export const settingsSchema = Joi.object<Settings, true>({
  HOST: Joi.string()
    .hostname()
    .default('127.0.0.1')
    .description("Address that the API and an indexer's METRICS_PORT listen on"),
  PORT: Joi.number().port().default(3000).description('Port the API listens on'),
  API_PROCESSES: Joi.number()
    .integer()
    .min(1)
    .max(256)
    .description('Processes of one API (default one a core, or 1 beside local stores)'),
  PUBLIC_URL: baseUrl().description('Where readers reach the API (default this machine, at PORT)'),
  // A URL with several hosts is invalid by the general rule for URLs. The driver checks the rest when its client is
  // created.
  MONGODB_URL: Joi.string()
    .pattern(/^mongodb(?:\+srv)?:\/\/\S+$/)
    .messages({ 'string.pattern.base': '{{#label}} must begin with mongodb:// or mongodb+srv://' })
    .default('mongodb://127.0.0.1:27017/forum-archive?replicaSet=rs0')
    .description('MongoDB replica set; the path names the database (default forum-archive)'),
  ELASTICSEARCH_URL: checkedBy(readNodes)
    .default('http://127.0.0.1:9200')
    .description('Elasticsearch 9: its address, or those of several nodes, comma separated'),
  REDIS_URL: checkedBy(readRedis)
    .default('redis://127.0.0.1:6379')
    .description('Redis of the queue and of announcements (maxmemory-policy noeviction)'),
  CACHE_REDIS_URL: checkedBy(readRedis).description(
    'Redis of the statistics cache and of rate limits (default REDIS_URL)',
  ),
  CORS_ORIGINS: checkedBy(readOrigins)
    .default('*')
    .description('Origins allowed to read, such as https://forum.example, comma separated, or *'),
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .description('Least level logged'),
  LOG_ADDRESSES: onOrOff()
    .default(false)
    .description("Whether the log of requests holds clients' addresses"),
  AUDIT_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(3_650)
    .default(365)
    .description('Days that an entry of the audit trail is kept'),
  AUDIT_READS: onOrOff()
    .default(false)
    .description('Whether the audit trail also holds who read the administration'),
  DATA_DIR: Joi.string().default('.data').description('Folder of the local servers and their data'),
  LOCAL_ES_HEAP: Joi.string()
    .pattern(/^[1-9]\d{0,6}[mg]$/i)
    .messages({ 'string.pattern.base': '{{#label}} must be a size such as 512m or 2g' })
    .default('512m')
    .description('Memory for the heap of the local Elasticsearch'),
  RESOLVED_TAGS: Joi.string()
    .default('solved,resolved,answered')
    .description('Tag names that mark a thread resolved, comma separated'),
  SEARCH_SYNONYMS: Joi.string().description('File of words that count as each other in a search'),
  TRUST_PROXY: Joi.alternatives(Joi.string())
    .custom(readTrustedProxies)
    .messages({ 'any.custom': '{{#label}} {{#error.message}}' })
    .default(false)
    .description('Proxies whose X-Forwarded-For is believed: how many, or their addresses'),
  DISABLE_AUTH: onOrOff()
    .default(false)
    .when('NODE_ENV', { is: 'production', then: Joi.valid(false) })
    .messages({ 'any.only': 'DISABLE_AUTH must not be set while NODE_ENV is production' })
    .description('Lets everyone do everything; for development only'),
  JWT_SECRET: Joi.string()
    .min(SHORTEST_SECRET)
    .description(
      `Signs service tokens (at least ${SHORTEST_SECRET} characters); nobody can log in without it`,
    ),
  ACCESS_TOKEN_SECONDS: seconds(60, LONGEST_TOKEN_SECONDS)
    .default(86_400)
    .description('Life of a service token without a level (seconds)'),
  ADMIN_TOKEN_SECONDS: seconds(60, 86_400)
    .default(900)
    .description('Life of a service token of a user in ADMIN_USER_IDS (seconds)'),
  REFRESH_TOKEN_SECONDS: seconds(60, 31_536_000)
    .default(2_592_000)
    .description('Life of a refresh token (seconds)'),
  ADMIN_USER_IDS: idsOf('users').description(
    'Users whose logins allow everything, comma separated',
  ),
  DISCORD_CLIENT_ID: Joi.string()
    .pattern(/^\d{1,20}$/, 'id')
    .messages({ 'string.pattern.name': '{{#label}} must be the id of an application' })
    .description('Application that users log in to'),
  DISCORD_CLIENT_SECRET: Joi.string().description('Secret of that application'),
  DISCORD_REDIRECT_URI: url().description(
    'Where the platform sends users back to: exactly as registered there',
  ),
  DISCORD_BOT_TOKEN: Joi.string()
    .pattern(/^[\w.-]+$/, 'token')
    .messages({ 'string.pattern.name': '{{#label}} must be a token of the developer portal' })
    .description('Bot whose servers are archived; nothing is synced without it'),
  DISCORD_ALSO_CHANNELS: idsOf('channels').description(
    'Forums archived although they are private, age-restricted or spoilers, comma separated',
  ),
  OPT_OUT_ROLE: checkedBy(readRoles)
    .default('')
    .description('Roles whose bearers are left out, by name or id, comma separated'),
  SYNC_EVERY_MINUTES: Joi.number()
    .integer()
    .min(1)
    .max(1_440)
    .default(10)
    .description('How often all servers are looked through for what is new (minutes)'),
  REREAD_EVERY_SECONDS: Joi.number()
    .integer()
    .min(1)
    .max(3_600)
    .default(5)
    .description('Pace at which threads are read once more, one after the other (seconds)'),
  REREAD_AFTER_HOURS: Joi.number()
    .integer()
    .min(1)
    .max(8_760)
    .default(24)
    .description('How long a thread counts as read before it is read once more (hours)'),
  MIRROR_FOLDER: Joi.string().description('Folder that attachments and pictures are copied to'),
  MIRROR_S3_BUCKET: Joi.string()
    .pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .messages({ 'string.pattern.base': '{{#label}} must be the name of a bucket' })
    .description('S3-compatible bucket that they are copied to, in place of a folder'),
  MIRROR_S3_ENDPOINT: url().description(
    'Address of the S3-compatible server (default that of AWS)',
  ),
  MIRROR_S3_REGION: Joi.string().default('us-east-1').description('Region of the bucket'),
  MIRROR_S3_ACCESS_KEY: Joi.string().description('Access key of the bucket'),
  MIRROR_S3_SECRET_KEY: Joi.string().description('Secret key of the bucket'),
  MIRROR_TYPES: checkedBy(readTypes)
    .default('image/*,text/*,application/pdf,application/json')
    .description('Types of attachments that are copied, comma separated'),
  MIRROR_MAX_FILE_MB: Joi.number()
    .integer()
    .min(1)
    .max(1_000)
    .default(25)
    .description('Larger files are not copied (MB)'),
  MIRROR_MAX_TOTAL_GB: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(10)
    .description('All copies together are not larger (GB)'),
  DISCORD_API_URL: baseUrl()
    .default('https://discord.com/api/v10')
    .description('API of the platform'),
  DISCORD_CDN_URL: baseUrl()
    .default('https://cdn.discordapp.com')
    .description('Where attachments and pictures are copied from'),
  DISCORD_AUTHORIZE_URL: url()
    .default('https://discord.com/oauth2/authorize')
    .description('Where users log in'),
  RATE_LIMIT_READS: perMinute(6_000, 'Reads an address may make'),
  RATE_LIMIT_SEARCHES: perMinute(600, 'Searches an address may make'),
  RATE_LIMIT_FAILED_CREDENTIALS: perMinute(300, 'Wrong credentials an address may send'),
  RATE_LIMIT_CALLER: perMinute(60_000, 'Requests a key or a user may make'),
  RATE_LIMIT_DISABLED: onOrOff().default(false).description('Whether nothing is limited'),
  CACHE_MEGABYTES: Joi.number()
    .integer()
    .min(0)
    .max(65_536)
    .default(64)
    .description('Memory for finished responses in each API process'),
  INDEXER_CONCURRENCY: Joi.number()
    .integer()
    .min(1)
    .max(256)
    .default(128)
    .description('Jobs an indexer works on at once'),
  BACKGROUND_NICE: Joi.number()
    .integer()
    .min(0)
    .max(19)
    .default(10)
    .description(
      'How far the indexer and the command line give way to readers: 0 not at all, 19 most',
    ),
  FAULT_POINTS: Joi.string()
    .pattern(new RegExp(`^(?:(?:${FAULT_POINTS.join('|')}):[1-9]\\d*(?:,(?=.)|$))+$`), 'points')
    .when('NODE_ENV', { is: 'production', then: Joi.forbidden() })
    .messages({ 'any.unknown': 'FAULT_POINTS must not be set while NODE_ENV is production' })
    .description('Where the indexer kills itself, for tests of crashes: name:n, comma separated'),
  METRICS_TOKEN: Joi.string()
    .min(16)
    .pattern(/^[!-~]+$/, 'token')
    .messages({
      'string.pattern.name':
        '{{#label}} must hold only letters, digits and signs of ASCII, and no space',
    })
    .description('Opens /metrics to other machines (at least 16 characters of ASCII, no space)'),
  METRICS_PORT: Joi.number()
    .port()
    .description("Port of an indexer's /metrics, on HOST; none without it"),
  NODE_ENV: Joi.string()
    .valid('production', 'development', 'test')
    .description('production, development or test'),
})
  .oxor('MIRROR_FOLDER', 'MIRROR_S3_BUCKET')
  // One rule for each key, because a rule only names the first setting that is missing.
  .with('MIRROR_S3_BUCKET', 'MIRROR_S3_ACCESS_KEY')
  .with('MIRROR_S3_BUCKET', 'MIRROR_S3_SECRET_KEY')
  .with('MIRROR_S3_ACCESS_KEY', 'MIRROR_S3_BUCKET')
  .with('MIRROR_S3_SECRET_KEY', 'MIRROR_S3_BUCKET')
  .with('MIRROR_S3_ENDPOINT', 'MIRROR_S3_BUCKET')
  .messages({
    'object.oxor': 'MIRROR_FOLDER and MIRROR_S3_BUCKET must not both be set',
    'object.with': '{{#peer}} must be set beside {{#main}}',
  });

/**
 * Reads and checks the settings of an environment (default: the process's own). White space around a value does not
 * count: a shell that reads a file with Windows line ends adds a carriage return to each. A value of nothing else is
 * checked as it is, because it may be a mistake. Throws SettingsError.
 */
export function readSettings(env: Record<string, string | undefined> = process.env): Settings {
  const known = keysOf(settingsSchema).filter((name) => env[name]);
  const given = Object.fromEntries(known.map((name) => [name, env[name]?.trim() || env[name]]));
  const result = settingsSchema.validate(given, {
    abortEarly: false,
    errors: { wrap: { label: false } },
  });
  if (result.error) throw new SettingsError(problemsOf(result.error));
  return result.value;
}

/** Where readers reach the API, without a slash at the end. */
export function publicUrlOf({ PUBLIC_URL, PORT }: Pick<Settings, 'PUBLIC_URL' | 'PORT'>): string {
  return PUBLIC_URL ?? `http://127.0.0.1:${PORT}`;
}

/**
 * The first problem of each setting, as its other problems follow from that one. A problem of several settings together
 * has no path.
 */
function problemsOf({ details }: Joi.ValidationError): string[] {
  const first = new Map<unknown, string>();
  for (const { path, message } of details) {
    const about = path[0] ?? message;
    if (!first.has(about)) first.set(about, message);
  }
  return [...first.values()];
}

/** The environment of this process as it is, to be passed to a child process. */
export function environment(): Record<string, string | undefined> {
  return process.env;
}
