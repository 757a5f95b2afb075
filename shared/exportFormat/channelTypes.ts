/** The exporter's names of the platform's channel types. */
export const CHANNEL_TYPES: Readonly<Record<string, number>> = {
  GuildTextChat: 0,
  DirectTextChat: 1,
  GuildVoiceChat: 2,
  DirectGroupTextChat: 3,
  GuildCategory: 4,
  GuildNews: 5,
  GuildStore: 6,
  GuildNewsThread: 10,
  GuildPublicThread: 11,
  GuildPrivateThread: 12,
  GuildStageVoice: 13,
  GuildDirectory: 14,
  GuildForum: 15,
  GuildMedia: 16,
};

/** The number of a channel type given as a name or a number; null for an unknown one. */
export function channelTypeNumber(type: string | number): number | null {
  const known = Object.values(CHANNEL_TYPES);
  const number = /^\d+$/.test(String(type)) ? Number(type) : CHANNEL_TYPES[type];
  return number !== undefined && known.includes(number) ? number : null;
}
