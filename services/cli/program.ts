import { Command } from 'commander';
import { addBackup, addRestore } from './backup/backupCommands.js';
import { addBot } from './bot/botCommands.js';
import { addDelete, addEraseUser } from './delete/deleteCommands.js';
import { addExport } from './export/exportCommand.js';
import { addImport } from './import/importCommand.js';
import { addKeys } from './keys/keysCommands.js';
import { addReindex } from './reindex/reindexCommand.js';
import { addStatus } from './status/statusCommand.js';
import { addSync } from './sync/syncCommand.js';
import { addVerify } from './verify/verifyCommand.js';
import { version } from './version.js';

/**
 * The command line, with one line for each command. Parsing it runs the command. A usage error is thrown as
 * CommanderError.
 */
export function createProgram(): Command {
  const program = new Command('forum-archive')
    .description('Import, export and look after a forum archive')
    .version(version(), '-V, --version', 'print the version')
    .showHelpAfterError()
    .exitOverride();
  addImport(program);
  addExport(program);
  addBackup(program);
  addRestore(program);
  addDelete(program);
  addEraseUser(program);
  addReindex(program);
  addSync(program);
  addBot(program);
  addVerify(program);
  addKeys(program);
  addStatus(program);
  return program;
}
