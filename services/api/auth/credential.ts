/**
 * A credential as it was sent, not yet checked. `platform` is a bearer token that has none of the forms that this
 * service issues. Only this kind is ever sent to the platform.
 */
export interface Credential {
  kind: 'key' | 'jwt' | 'platform';
  text: string;
}
