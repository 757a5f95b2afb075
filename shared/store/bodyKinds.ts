/** The kinds of stored bodies, by what each is about. A body's `_id` is its kind, a slash and the id of that. */
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

/** What stands for all servers in place of a server's id. */
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
