import type { Env } from './findExecutable.js';
import { hidePassword } from './hidePassword.js';

/** What is reported once everything runs. */
export interface Running {
  apiUrl: string;
  servers: { name: string; url: string }[];
  logs: string;
  /** The variables that have to be set in another shell, so that the command line finds the same archive there. */
  environment: Env;
}

/**
 * What is printed once everything runs: the address of each thing, and what to try with the content of the sample.
 * Passwords are hidden.
 */
export function nextSteps({ apiUrl, servers, logs, environment }: Running): string {
  const archive = `${shellSettings(environment)}npm run archive --`;
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
    `  ${archive} import <file-or-folder>`,
    '',
    'A first API key, for everything under /admin:',
    `  ${archive} keys create --level admin --name me`,
    `  curl -H 'X-API-Key: <key>' '${apiUrl}/admin/stats'`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

function shellSettings(environment: Env): string {
  return Object.entries(environment)
    .map(
      ([name, value = '']) => `${name}='${hidePassword(value).replaceAll("'", String.raw`'\''`)}' `,
    )
    .join('');
}
