/** The routes of the REST API that the double knows. */
export type RouteName =
  | 'me'
  | 'application'
  | 'guilds'
  | 'guild'
  | 'guildChannels'
  | 'guildRoles'
  | 'member'
  | 'activeThreads'
  | 'channel'
  | 'archivedThreads'
  | 'messages'
  | 'message'
  | 'pins'
  | 'refreshUrls'
  | 'gateway'
  | 'gatewayBot';
