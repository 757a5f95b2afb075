import type { DiscordOptions } from '../../support/discord/settings.js';
import type { Random } from '../random.js';

/** The choices of a seed for its whole trial. */
export interface TrialPlan {
  /** Which processes hear events: all, none, or each at random. */
  listening: 'always' | 'never' | 'switched';
  /** How often a thread is read once more while nothing else is to be fetched (ms). */
  repairEveryMs: number;
  /** Whether, at the end, a process that was there before goes on, or a new one begins. */
  endsWithSame: boolean;
  /** How often, at an operation, a role by which people opt out is renamed, deleted, made, given or taken (0 to 1). */
  roleChanges: number;
  /** Whether the operator erases people and deletes things. */
  removes: boolean;
  /** Whether the operator deletes the server in the end. */
  removesServer: boolean;
  /** In which rounds a backup is made and restored; null where none is. */
  backup: { madeIn: number; restoredIn: number } | null;
  discord: DiscordOptions;
  /** Whether files are copied into a bucket, where the trial has one. */
  copiesToBucket: boolean;
}

/** Most trials hear events. Sessions are kept so briefly, or with so few events, that some cannot be resumed. */
export function planTrial(random: Random, seed: number): TrialPlan {
  return {
    listening: random.pick(['always', 'always', 'always', 'always', 'switched', 'never']),
    repairEveryMs: random.pick([50, 400]),
    endsWithSame: random.chance(0.5),
    roleChanges: random.pick([0, 0, 0.05, 0.3]),
    removes: random.chance(0.7),
    removesServer: random.chance(0.1),
    backup: random.chance(0.3)
      ? { madeIn: random.below(5), restoredIn: 5 + random.below(5) }
      : null,
    discord: {
      seed,
      rateLimits: false,
      guildMembers: random.chance(0.6),
      history: {
        guilds: random.pick([1, 1, 2]),
        forums: 2,
        threads: 6,
        messages: 8,
        people: 8,
        weeks: 20,
      },
      heartbeatMs: random.pick([500, 41_250]),
      replayLimit: random.pick([10, 1_000]),
      resumeMs: random.pick([200, 180_000]),
      linkLifetimeSeconds: random.pick([60, 86_400]),
    },
    copiesToBucket: random.chance(0.5),
  };
}

/** Whether, from some moment on, every change of members' roles is told by events. */
export function tellsRoles({ listening, discord }: TrialPlan): boolean {
  return listening === 'always' && discord.guildMembers === true;
}
