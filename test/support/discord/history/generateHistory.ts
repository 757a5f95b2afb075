import { createRandom } from '../../../faults/random.js';
import type { DiscordModel } from '../model/model.js';
import type { Settings } from '../settings.js';
import { generateGuild } from './generateGuild.js';

/** Fills a model with servers and their histories. The same seed gives the same ones. */
export function generateHistory(
  model: DiscordModel,
  { seed, history }: Pick<Settings, 'seed' | 'history'>,
): void {
  const random = createRandom(seed);
  for (let count = 0; count < history.guilds; count += 1) generateGuild(model, random, history);
}
