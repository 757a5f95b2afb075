/**
 * A credential as it was sent, before any check. `platform` is a bearer token in a form that this service never issues.
 * Only this kind may be sent to the platform.
 */
export interface Credential {
  kind: 'key' | 'jwt' | 'platform';
  text: string;
}
