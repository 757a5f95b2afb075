/** The user of an access token, as the platform describes them. */
export interface PlatformProfile {
  id: string;
  username: string;
  /** The https URL of their picture. */
  avatar: string;
  /** The OAuth2 scopes that the platform was found to accept the token for: identify, guilds. */
  scope: string[];
  /** Their servers, where the token allows to read them. `icon` is a hash. */
  guilds?: { id: string; name: string; icon: string | null }[];
}
