import type { Command } from 'commander';

/** `bot check` */
export function addBot(program: Command): void {
  const bot = program.command('bot').description('Look after the bot of the live sync');
  bot
    .command('check')
    .description('Tell what the bot may do, which forums are archived, and why others are not')
    .option('--json', 'print the result as JSON')
    .action(async (options: { json?: boolean }) => {
      const { runCheck } = await import('./runCheck.js');
      await runCheck(options);
    });
}
