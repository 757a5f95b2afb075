import type { LiveRole } from './answerTypes.js';

/** The entries of the setting OPT_OUT_ROLE, each an id or a name of a role. */
export function parseRoles(setting: string): string[] {
  return setting
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Whether an entry names a role: by its id, or by its name, ignoring case, with or without an @. */
export function isNamed(entry: string, { id, name }: Pick<LiveRole, 'id' | 'name'>): boolean {
  return entry === id || fold(entry) === fold(name);
}

/** The ids of the roles that some entries name. */
export function rolesNamed(
  roles: readonly Pick<LiveRole, 'id' | 'name'>[],
  entries: readonly string[],
): Set<string> {
  const named = roles.filter((role) => entries.some((entry) => isNamed(entry, role)));
  return new Set(named.map(({ id }) => id));
}

function fold(name: string): string {
  return name.trim().replace(/^@/, '').toLowerCase();
}
