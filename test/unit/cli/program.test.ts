import { expect } from 'chai';
import { CommanderError, type Command } from 'commander';
import { createProgram } from '../../../services/cli/program.js';

const ID = '123456789012345678';

/** What the command line prints, and how it ends, before anything is opened. */
async function usage(args: string[]): Promise<{ error: CommanderError; told: string }> {
  let told = '';
  const write = (text: string): void => void (told += text);
  const listen = (command: Command): void => {
    command.configureOutput({ writeErr: write, writeOut: write });
    command.commands.forEach(listen);
  };
  const program = createProgram();
  listen(program);
  try {
    await program.parseAsync(['node', 'forum-archive', ...args]);
  } catch (error) {
    if (error instanceof CommanderError) return { error, told };
    throw error;
  }
  throw new Error(`${args.join(' ')} is no usage error`);
}

describe('the usage of the command line', () => {
  const wrong: [string[], RegExp][] = [
    [['bogus'], /unknown command 'bogus'/],
    [['import'], /missing required argument 'file-or-folder'/],
    [['import', 'x', '--bogus'], /unknown option '--bogus'/],
    [['status', 'more'], /too many arguments/],
    [['import', 'x', ''], /'' is invalid for argument 'file-or-folder'. It is empty/],
    ...['export', 'backup', 'restore'].map((name): [string[], RegExp] => [
      [name, ''],
      /'' is invalid for argument 'folder'. It is empty/,
    ]),
    [['delete', 'thread'], /missing required argument 'id'/],
    [['delete', 'thread', 'abc'], /'abc' is invalid .* An id has 17 to 20 digits/],
    [['delete', 'user', ID], /Allowed choices are thread, channel, server/],
    [['erase-user', '12'], /'12' is invalid .* An id has 17 to 20 digits/],
    [['reindex'], /say what to build again: --search or --views/],
    [['reindex', '--views', '--search'], /--search or --views/],
    [['verify', 'more'], /too many arguments/],
    [['keys', 'bogus'], /unknown command 'bogus'/],
    [['keys', 'create', '--level', 'root', '--name', 'x'], /read, write, admin/],
    [['keys', 'create', '--name', 'x'], /--level/],
    [['keys', 'create', '--level', 'read'], /--name/],
    [['keys', 'create', '--level', 'read', '--name', ' '], /1 to 100 characters/],
    [
      ['keys', 'create', '--level', 'read', '--name', 'x', '--expires', 'soon'],
      /a time in the future/,
    ],
    // Otherwise, these would be read as the year 2035, and as a day in December.
    ...['35', '12/03/2035'].map((time): [string[], RegExp] => [
      ['keys', 'create', '--level', 'read', '--name', 'x', '--expires', time],
      /such as 2030-01-01T00:00:00Z/,
    ]),
  ];
  for (const [args, message] of wrong) {
    it(`is wrong in ${args.join(' ')}, and shown`, async () => {
      const { error, told } = await usage(args);
      expect(error.exitCode).to.not.equal(0);
      expect(told).to.match(message);
      expect(told).to.match(/Usage: forum-archive/);
    });
  }

  it('is shown by --help, and the version by --version', async () => {
    for (const args of [['--help'], ['keys', '--help'], ['import', '--help']]) {
      expect((await usage(args)).error.exitCode, args.join(' ')).to.equal(0);
    }
    const { error, told } = await usage(['--version']);
    expect([error.exitCode, told]).to.deep.equal([0, '1.0.0\n']);
  });
});
