import type { ExportMessage } from './exportTypes.js';
import { snowflakeTime } from './snowflake.js';
import { timestampToDate } from './timestamps.js';

const DAY_MS = 86_400_000;

/**
 * When a message of a file was written (milliseconds since the epoch): the time in its id. Where the file tells a time
 * that differs from it by more than a day, the id is no snowflake, and the file's time is taken. A time before 1970
 * counts as not told: exporters write the year 1 for none.
 */
export function messageTime({ id, timestamp }: Pick<ExportMessage, 'id' | 'timestamp'>): number {
  const told = timestampToDate(timestamp).getTime();
  const inId = snowflakeTime(id);
  return told >= 0 && Math.abs(told - inId) > DAY_MS ? told : inId;
}
