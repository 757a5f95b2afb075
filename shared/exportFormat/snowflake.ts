const PLATFORM_EPOCH_MS = 1_420_070_400_000;

/** The part of a snowflake id that holds its time: milliseconds since the platform's epoch. */
export function snowflakePart(id: string): bigint {
  return BigInt(id) >> 22n;
}

/** The time in a snowflake id, in milliseconds since the Unix epoch. */
export function snowflakeTime(id: string): number {
  return Number(snowflakePart(id)) + PLATFORM_EPOCH_MS;
}
