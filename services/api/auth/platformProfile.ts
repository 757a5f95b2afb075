/** A user as the platform describes them to their own token. */
export interface PlatformProfile {
  id: string;
  username: string;
  /** The full https address of their picture. */
  avatar: string;
  /** The scopes that their token was found to have: identify, guilds. */
  scope: string[];
  /** Their servers. Absent where the token may not see them. */
  guilds?: { id: string; name: string; icon: string | null }[];
}
