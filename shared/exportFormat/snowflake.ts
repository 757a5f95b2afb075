/** An id of the platform: 17 to 19 digits, or 20 that begin with 1, as 64 bits hold no more. */
export const SNOWFLAKE = /^[1-9]\d{16,18}$|^1\d{19}$/;

const PLATFORM_EPOCH_MS = 1_420_070_400_000;

/** The part of a snowflake id that holds its time: milliseconds since the platform's epoch. */
export function snowflakePart(id: string): bigint {
  return BigInt(id) >> 22n;
}

/** The time in a snowflake id, in milliseconds since the Unix epoch. */
export function snowflakeTime(id: string): number {
  return Number(snowflakePart(id)) + PLATFORM_EPOCH_MS;
}
