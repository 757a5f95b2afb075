/** The platform's default avatar of an account: its index is (id >> 22) % 6 (Discord reference, "CDN endpoints"). */
export function defaultAvatar(userId: string): string {
  return `https://cdn.discordapp.com/embed/avatars/${Number((BigInt(userId) >> 22n) % 6n)}.png`;
}
