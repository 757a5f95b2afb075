import { hidePassword } from './hidePassword.js';

/** What to print once everything runs: where each thing answers, and what to try, with the sample's content. Passwords are hidden. */
export function nextSteps(
  apiUrl: string,
  servers: { name: string; url: string }[],
  logs: string,
): string {
  const places = [{ name: 'API', url: apiUrl }, ...servers];
  const width = Math.max(...places.map(({ name }) => name.length));
  return [
    '',
    ...places.map(({ name, url }) => `  ${name.padEnd(width)}  ${hidePassword(url)}`),
    `  ${'Logs'.padEnd(width)}  ${logs}`,
    '',
    'Try:',
    `  curl '${apiUrl}/api/threads?limit=3'`,
    `  curl '${apiUrl}/api/search?q=error&limit=3'`,
    `  curl '${apiUrl}/openapi.json'`,
    `  curl '${apiUrl}/healthz'`,
    '  npm run archive -- import <file-or-folder> --wait',
    '',
    'A first API key, for everything under /admin:',
    '  npx forum-archive keys create --level admin --name me',
    `  curl -H 'X-API-Key: <key>' '${apiUrl}/admin/stats'`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}
