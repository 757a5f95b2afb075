/**
 * The kinds of stored bodies, by what each is about. The `_id` of a body is its kind, a slash, and the id of its
 * subject.
 */
export const BODY_KINDS = {
  thread: ['thread', 'participants', 'similar'],
  server: ['server', 'channels', 'tags', 'stats'],
  user: ['user'],
} as const;

/** What a stored body can be about. */
export type BodySubject = keyof typeof BODY_KINDS;
/** The kinds of bodies, of some subjects alone where these are named. */
export type BodyKind<Subject extends BodySubject = BodySubject> =
  (typeof BODY_KINDS)[Subject][number];

/** Stands in place of a server's id for all servers. */
export const ALL_SERVERS = 'all';
/** The body that lists all servers. */
export const SERVER_LIST = `servers/${ALL_SERVERS}`;

/** The names of all bodies of a thread, server or user. */
export function bodyNames(subject: BodySubject, id: string): string[] {
  return BODY_KINDS[subject].map((kind) => `${kind}/${id}`);
}

/** What a kind of body is about. */
export function subjectOf(kind: BodyKind): BodySubject {
  const subjects = Object.keys(BODY_KINDS) as BodySubject[];
  return subjects.find((subject) => (BODY_KINDS[subject] as readonly string[]).includes(kind))!;
}
