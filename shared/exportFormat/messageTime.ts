import type { ExportMessage } from './exportTypes.js';
import { snowflakeTime } from './snowflake.js';
import { timestampToDateOrNull } from './timestamps.js';

const DAY_MS = 86_400_000;

/**
 * When a message of a file was written (milliseconds since the epoch): the time in its id. Where the file tells a time
 * that differs from it by more than a day, the id is no snowflake, and the file's time is taken. A time in the year 1
 * counts as not told.
 */
export function messageTime({ id, timestamp }: Pick<ExportMessage, 'id' | 'timestamp'>): number {
  const told = timestampToDateOrNull(timestamp)?.getTime();
  const inId = snowflakeTime(id);
  return told !== undefined && Math.abs(told - inId) > DAY_MS ? told : inId;
}
