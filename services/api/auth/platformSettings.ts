/** The addresses of the platform, and how this service is registered there. */
export interface PlatformSettings {
  apiUrl: string;
  /** The URL at which users log in. */
  authorizeUrl: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}
