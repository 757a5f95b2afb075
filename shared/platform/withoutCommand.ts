/** MongoDB's answer to a command that its user may not give. It ends with the whole command, documents included. */
const REFUSED = / to execute command \{ (\w+):[^]*/;

/**
 * An error's message without the command that MongoDB refused, of which only the name stays: a command holds what people
 * wrote, and secrets of the archive.
 */
export function withoutCommand(message: string): string {
  return message.replace(REFUSED, ' to execute command $1');
}

/** An error's stack without that command. The calls that led to it stay; those of a cause are cut off with its command. */
export function stackWithoutCommand({
  message,
  stack,
}: Pick<Error, 'message' | 'stack'>): string | undefined {
  return stack && withoutCommand(stack.replaceAll(message, () => withoutCommand(message)));
}
