/**
 * `npm run demo:live`: runs the whole service beside a double of the platform in which a community talks. So anybody
 * can watch changes arrive. It needs no account and no token, and leaves nothing behind.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readSettings } from '../../shared/platform/env.js';
import { SettingsError } from '../../shared/platform/settingsError.js';
import { counted } from '../../services/cli/numbers.js';
import { hasStoreUrls } from '../../services/cli/storeUrls.js';
import { removeDataDir } from '../../services/local/elasticsearchFolder.js';
import { LaunchError } from '../../services/local/launchError.js';
import { onNpmGone } from '../../services/local/npmWatch.js';
import { createReport } from '../../services/local/report.js';
import { start } from '../../services/local/start.js';
import { startDiscord } from '../support/discord/startDiscord.js';
import { onAsked } from '../support/onAsked.js';
import { openStores, type TestStores } from '../support/stores.js';
import { letThemTalk } from './community.js';

const HELP = `Usage: npm run demo:live -- [--seed N]

Starts the service with a double of the platform, in which a community talks, and prints when the API shows each change.
  --seed N   another community (default 1)
PORT works as for npm start. With MONGODB_URL, ELASTICSEARCH_URL and REDIS_URL (all three or none), the demo uses these
servers under a name of its own, which it removes at the end.
`;

const seed = readSeed();
const root = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const report = createReport(process.stdout);
const stop = new AbortController();
onAsked(() => stop.abort());
onNpmGone(process.env, () => stop.abort());

const history = { guilds: 1, forums: 2, threads: 30, messages: 25, people: 20, weeks: 100 };
const discord = await startDiscord({ seed, startAt: Date.now(), history });
const dataDir = mkdtempSync(join(tmpdir(), 'forum-archive-demo-'));
let stores: TestStores | undefined;
try {
  // The servers in the environment may hold a real archive, and the mirror its files. So the demonstration has its own
  // database.
  if (hasStoreUrls(process.env)) stores = await openStores();
  const env = {
    ...process.env,
    ...(stores && { MONGODB_URL: stores.mongodbUrl }),
    DATA_DIR: dataDir,
    DISCORD_API_URL: discord.url,
    DISCORD_BOT_TOKEN: discord.token,
    MIRROR_FOLDER: undefined,
    MIRROR_S3_BUCKET: undefined,
    // The demonstration asks more often than a reader may. It would take a refusal for a change.
    RATE_LIMIT_DISABLED: 'true',
  };
  const { PORT } = readSettings(env);
  const apiUrl = `http://127.0.0.1:${PORT}`;
  const service = start({
    root,
    dist: join(root, 'dist'),
    env,
    report,
    signal: stop.signal,
    importSample: false,
  }).finally(() => stop.abort());
  await Promise.all([service, talk(apiUrl)]);
} catch (error) {
  const isTold = error instanceof LaunchError || error instanceof SettingsError;
  report.line(isTold ? `\n${error.message}` : String((error as Error).stack));
  process.exitCode = 1;
} finally {
  await discord.close();
  await stores?.close();
  await removeDataDir(dataDir);
}
process.exit();

/** Waits until everything is archived, and then lets the community talk. */
async function talk(apiUrl: string): Promise<void> {
  const threads = discord.model.publicThreads().map(({ thread }) => thread.id);
  let shown = 0;
  while (shown < threads.length) {
    if (stop.signal.aborted) return;
    const answers = await Promise.all(threads.map((id) => isShown(`${apiUrl}/api/threads/${id}`)));
    shown = answers.filter(Boolean).length;
    if (shown > 0) report.progress(`First sync: ${shown} of ${threads.length} threads`);
    await pause(500);
  }
  report.line('Everything is archived. Now the community talks; Ctrl-C ends it.\n');
  const times = await letThemTalk({
    discord,
    apiUrl,
    seed,
    print: (line) => report.line(line),
    signal: stop.signal,
  });
  const sorted = times.sort((a, b) => a - b);
  if (sorted.length === 0) return;
  const [median, slowest] = [sorted[sorted.length >> 1]!, sorted.at(-1)!];
  report.line(
    `${counted(sorted.length, 'change')} shown: median ${median} ms, slowest ${slowest} ms`,
  );
}

async function isShown(url: string): Promise<boolean> {
  return fetch(url, { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function readSeed(): number {
  try {
    const { values } = parseArgs({
      options: { seed: { type: 'string', default: '1' }, help: { type: 'boolean' } },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const number = Number(values.seed);
    if (Number.isSafeInteger(number) && number > 0) return number;
    throw new Error('--seed must be a whole number above 0');
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}
