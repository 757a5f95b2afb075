/** A credential as it was sent, not yet checked. `platform` is any bearer token that has not the form of a JWT. */
export interface Credential {
  kind: 'key' | 'jwt' | 'platform';
  text: string;
}
