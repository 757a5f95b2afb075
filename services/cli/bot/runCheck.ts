import { createPlatformClient } from '../../../shared/discordApi/platformClient.js';
import { SYSTEM_CLOCK, type Clock } from '../../../shared/discordApi/clock.js';
import type { Admission } from '../../../shared/discordApi/admission.js';
import { publicUrlOf, readSettings } from '../../../shared/platform/env.js';
import { CliError } from '../cliError.js';
import { createProgress } from '../progress.js';
import { printResult } from '../printResult.js';
import { checkBot } from './checkBot.js';
import { checkLines } from './checkLines.js';
import { limitWaits } from './limitWaits.js';

/** Requests are at least this far apart (ms). So together with those of an indexer they stay within the limit. */
const APART_MS = 1_000;

/**
 * Checks the bot of DISCORD_BOT_TOKEN. It needs no stores and no indexer. Sets exit code 1 where something has to be
 * changed.
 */
export async function runCheck({ json: asJson }: { json?: boolean }): Promise<void> {
  const settings = readSettings();
  const { DISCORD_BOT_TOKEN: token, DISCORD_API_URL: url } = settings;
  if (token === undefined) {
    throw new CliError('Set DISCORD_BOT_TOKEN to the token of a bot: see docs/live-sync.md');
  }
  const platform = createPlatformClient({
    url,
    token,
    publicUrl: publicUrlOf(settings),
    admission: spaced(SYSTEM_CLOCK),
    onLimited: limitWaits(),
  });
  // Each server takes some seconds, and a platform that does not answer minutes.
  const progress = createProgress('bot check', 1);
  const report = await checkBot(platform, settings, (share) => progress.advance(share)).finally(
    () => progress.stop(),
  );
  printResult({ json: report, lines: checkLines(report) }, asJson);
  if (report.problems.length > 0) process.exitCode = 1;
}

/**
 * Admits one request after the other, each APART_MS after the last. It waits longer where the platform asks for that.
 */
function spaced(clock: Clock): Admission {
  let next = clock.now();
  return {
    ask() {
      const wait = next - clock.now();
      if (wait <= 0) next = clock.now() + APART_MS;
      return Promise.resolve({ ms: Math.max(0, Math.ceil(wait)), why: null });
    },
    answered: () => Promise.resolve(),
    stop(ms) {
      next = Math.max(next, clock.now() + ms);
      return Promise.resolve();
    },
    countInvalid: () => Promise.resolve(),
  };
}
