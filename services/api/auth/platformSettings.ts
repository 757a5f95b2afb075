/** What logging in needs. */
export interface PlatformSettings {
  apiUrl: string;
  authorizeUrl: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}
