import { Argument, InvalidArgumentError, type Command } from 'commander';
import type { RemovalOptions } from './remove.js';
import { PLACE_KINDS, type PlaceKind } from './placeKinds.js';

/** `delete thread|channel|server <id>` */
export function addDelete(program: Command): void {
  const command = program
    .command('delete')
    .description('Remove a thread, channel or server for good: no import brings it back')
    .addArgument(new Argument('<kind>', 'what to remove').choices(PLACE_KINDS))
    .argument('<id>', 'its id', readId);
  const evenIfUnknown = 'go on when it is not in the archive: an import may still bring it';
  withOptions(command, evenIfUnknown).action(
    async (kind: PlaceKind, id: string, options: RemovalOptions) => {
      const { deletePlace } = await import('./deletePlace.js');
      await deletePlace(kind, id, options);
    },
  );
}

/** `erase-user <id>` */
export function addEraseUser(program: Command): void {
  const command = program
    .command('erase-user')
    .description('Erase a person: what they wrote, their names and every mention of them')
    .argument('<id>', 'their id', readId);
  const evenIfUnknown =
    'go on when nothing of them is in the archive: no later import brings anything';
  withOptions(command, evenIfUnknown).action(async (id: string, options: RemovalOptions) => {
    const { eraseUser } = await import('./eraseUser.js');
    await eraseUser(id, options);
  });
}

function withOptions(command: Command, evenIfUnknown: string): Command {
  return command
    .option('--yes', 'do not ask first; without a terminal, nothing is asked anyway')
    .option('--even-if-unknown', evenIfUnknown)
    .option(
      '--wait',
      'wait until nothing of it can be read (default); Ctrl-C ends the waiting, not the work',
    )
    .option('--no-wait', 'return once the work is queued')
    .option('--json', 'print the result as JSON');
}

function readId(text: string): string {
  if (/^\d{17,20}$/.test(text)) return text;
  throw new InvalidArgumentError('An id has 17 to 20 digits.');
}
