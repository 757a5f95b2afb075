import type { BotReport, CheckedServer } from './checkBot.js';

/** What was found out about a bot, in lines for people. */
export function checkLines({
  application,
  intents,
  invite,
  servers,
  problems,
}: BotReport): string[] {
  const rows: [string, string][] = [
    ['Bot', `${application.name} (${application.id})`],
    ['Message Content', intents.messageContent ? 'granted' : 'not granted'],
    [
      'Server Members',
      intents.guildMembers ? 'granted' : 'not granted (optional: tells at once who opts out)',
    ],
    ['Invite link', invite],
  ];
  return [
    ...rows.map(([name, value]) => `${`${name}:`.padEnd(17)}${value}`),
    ...servers.flatMap(serverLines),
    '',
    ...(problems.length === 0 ? ['All is well'] : ['To be changed:']),
    ...problems.map((problem) => `  ${problem}`),
  ];
}

function serverLines({ serverId, name, problem: why, forums, optOut }: CheckedServer): string[] {
  return [
    '',
    `${name} (${serverId})`,
    ...forums.map(({ name: forum, problem }) =>
      problem === null ? `  archived      ${forum}` : `  not archived  ${forum}: ${problem}`,
    ),
    ...(forums.length === 0 ? [`  ${why}`] : []),
    ...(optOut?.found ?? []).map((entry) => `  opt-out role  ${entry}`),
    ...(optOut?.missing ?? []).map((entry) => `  no such role  ${entry}`),
  ];
}
