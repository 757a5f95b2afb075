import type { SourceMessage } from './records.js';

type Naming = Pick<SourceMessage, 'author' | 'mentions' | 'interaction'>;

/**
 * The people whom a message names, each with the names that it gives them. A message names its author, the people whom
 * it mentions, and the person whose command it answers.
 */
export function namedIn({
  author,
  mentions,
  interaction,
}: Naming): { id: string; names: string[] }[] {
  return [
    ...[author, ...mentions].map(({ id, username, displayName }) => ({
      id,
      names: [username, displayName],
    })),
    ...(interaction ? [{ id: interaction.userId, names: [interaction.username] }] : []),
  ];
}
