import type { SourceMessage } from './records.js';

type Naming = Pick<SourceMessage, 'author' | 'mentions' | 'interaction'>;

/**
 * The people whom a message names, and the names that it gives them: its author, those whom it mentions, and the one
 * whose command it answers.
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
