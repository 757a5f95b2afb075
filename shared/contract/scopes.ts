/** Each level holds those before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Everything that a level allows: itself and those before it. */
export function scopesOf(level: Scope): Scope[] {
  return SCOPES.slice(0, SCOPES.indexOf(level) + 1);
}

/** Years that a key works at most, where it ends at all. */
export const MOST_KEY_YEARS = 10;
