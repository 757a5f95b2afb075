/**
 * A credential as it was sent, not yet checked. `platform` is a bearer token that has the form of nothing that this
 * service hands out. The others are never shown to the platform.
 */
export interface Credential {
  kind: 'key' | 'jwt' | 'platform';
  text: string;
}
