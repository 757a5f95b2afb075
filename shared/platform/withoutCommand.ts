/** MongoDB's answer to a command that its user may not give. It ends with the whole command, documents included. */
const REFUSED = / to execute command \{ (\w+):[^]*/;

/**
 * An error's message without the command that MongoDB refused, of which only the name stays: a command holds what people
 * wrote, and secrets of the archive.
 */
export function withoutCommand(message: string): string {
  return message.replace(REFUSED, ' to execute command $1');
}

/**
 * An error's stack without the command that MongoDB refused. The calls that led to the error stay. Where the stack goes
 * on with a cause that quotes such a command, it ends with the command's name.
 */
export function stackWithoutCommand({
  message,
  stack,
}: Pick<Error, 'message' | 'stack'>): string | undefined {
  return stack && withoutCommand(stack.replaceAll(message, () => withoutCommand(message)));
}
