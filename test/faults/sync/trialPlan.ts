import type { DiscordOptions } from '../../support/discord/settings.js';
import type { Random } from '../random.js';

/** What a seed chooses for its whole trial. */
export interface TrialPlan {
  /** Which processes hear events: all, none, or each as chance has it. */
  listening: 'always' | 'never' | 'switched';
  /** How often a thread is read once more while nothing else is to be fetched (ms). */
  repairEveryMs: number;
  /** Where the end waits for what is told, a process that was there before it goes on; else another begins. */
  endsWithSame: boolean;
  discord: DiscordOptions;
}

/**
 * Most trials hear events. Sessions are kept for so short a time, or for so few events, that some cannot be resumed.
 */
export function planTrial(random: Random, seed: number): TrialPlan {
  return {
    listening: random.pick(['always', 'always', 'always', 'always', 'switched', 'never']),
    repairEveryMs: random.pick([20, 400]),
    endsWithSame: random.chance(0.5),
    discord: {
      seed,
      rateLimits: false,
      guildMembers: random.chance(0.6),
      history: { guilds: 1, forums: 2, threads: 6, messages: 8, people: 8, weeks: 20 },
      heartbeatMs: random.pick([500, 41_250]),
      replayLimit: random.pick([10, 1_000]),
      resumeMs: random.pick([200, 180_000]),
    },
  };
}

/** Whether members' roles are told by events, each change of them, from some moment on. */
export function tellsRoles({ listening, discord }: TrialPlan): boolean {
  return listening === 'always' && discord.guildMembers === true;
}
