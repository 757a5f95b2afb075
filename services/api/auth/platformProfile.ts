/** A user as the platform describes them to themselves. */
export interface PlatformProfile {
  id: string;
  username: string;
  /** Full https address of the picture. */
  avatar: string;
  /** What their token allows, as far as it was tried: identify, guilds. */
  scope: string[];
  /** Their servers, where the token allows to see them. */
  guilds?: { id: string; name: string; icon: string | null }[];
}
