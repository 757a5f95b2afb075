/** MongoDB's message that its user may not run a command. It ends with the whole command, documents included. */
const REFUSED = / to execute command \{ (\w+):[^]*/;

/**
 * An error's message in which only the name is left of the command that MongoDB refused. A command holds what people
 * wrote, and secrets of the archive.
 */
export function withoutCommand(message: string): string {
  return message.replace(REFUSED, ' to execute command $1');
}

/**
 * An error's stack without the command that MongoDB refused. The lines of calls that led to the error stay. Where the
 * stack goes on with a cause that quotes such a command, it ends with the name of the command.
 */
export function stackWithoutCommand({
  message,
  stack,
}: Pick<Error, 'message' | 'stack'>): string | undefined {
  return stack && withoutCommand(stack.replaceAll(message, () => withoutCommand(message)));
}
