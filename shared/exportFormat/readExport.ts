import { checkHeaderPart, checkMessage, placeIn } from './checkPart.js';
import { ExportError } from './exportError.js';
import { headerSchemas } from './exportSchema.js';
import type { ExportHeader, ExportMessage } from './exportTypes.js';
import { inflate } from './inflate.js';
import { appliedTagIds, judgeHeader, type HeaderVerdict } from './judgeHeader.js';
import { BATCH_BYTES, BATCH_MESSAGES } from './limits.js';
import { messageTime } from './messageTime.js';
import { messageTypeNumber, THREAD_STARTER } from './messageTypes.js';
import { snowflakeTime } from './snowflake.js';
import { ExportSplitter, type ExportPart } from './splitExport.js';
import { timestampToMicrosOrNull } from './timestamps.js';

/** How far the clock of an exporting machine may be ahead (ms). */
const LONGEST_LEAD_MS = 366 * 86_400_000;

/** A file that holds a public thread or describes a forum, with what was found when all of it was read. */
export interface ExportFile {
  kind: 'thread' | 'forum';
  header: ExportHeader;
  messages: number;
  /**
   * When the file was made (microseconds since the epoch). Files of old exporters do not tell that: then it is the
   * latest time at which one of its messages was written or edited, or else that of the thread.
   */
  asOf: number;
  /** Whether the thread was started from a message of a text channel. */
  startedFromMessage: boolean;
  /** All its messages where they fit one batch; else null. So most files are read only once. */
  batch: ExportMessage[] | null;
}

/**
 * What becomes of a file. `thread` and `forum` are taken. `skipped` is public, but no thread. `refused` is private:
 * nothing of it may be stored. `rejected` is damaged or no export, and `at` names the place.
 */
export type Inspection =
  | ExportFile
  | { kind: 'skipped' | 'refused'; reason: string }
  | { kind: 'rejected'; reason: string; at?: string };

/**
 * Reads and checks a whole file, and stores nothing. Gzip is recognised. It stops reading a file as soon as it knows
 * that the file is skipped or refused. `onPublic` is called when it knows that the file is neither. Throws errors of
 * the source itself.
 */
export async function inspectExport(
  source: AsyncIterable<Uint8Array>,
  onPublic: () => void = () => undefined,
): Promise<Inspection> {
  try {
    return await inspect(source, onPublic);
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    return {
      kind: 'rejected',
      reason: error.message,
      ...(error.at === undefined ? {} : { at: error.at }),
    };
  }
}

/**
 * The messages of a file that was inspected, in batches, in the file's order. Where the inspection did not keep them,
 * `source` opens the file once more.
 */
export async function* messagesOf(
  { batch }: ExportFile,
  source: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<ExportMessage[]> {
  if (batch === null) yield* readMessages(source());
  else if (batch.length > 0) yield batch;
}

/**
 * Checks the messages of a file. Gives them in batches, in the file's order. Throws ExportError at the first damage.
 */
export async function* readMessages(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<ExportMessage[]> {
  let batch: ExportMessage[] = [];
  let bytes = 0;
  for await (const parts of readParts(source)) {
    for (const part of parts) {
      if (part.index === null) continue;
      batch.push(checkMessage(part));
      bytes += part.bytes;
      if (batch.length < BATCH_MESSAGES && bytes < BATCH_BYTES) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

async function inspect(
  source: AsyncIterable<Uint8Array>,
  onPublic: () => void,
): Promise<Inspection> {
  const header: Partial<ExportHeader> = {};
  const found: Found = { messages: 0, startedFromMessage: false, batch: [] };
  const times: Times = { newest: null, edited: NEVER, told: NEVER };
  let bytes = 0;
  let hasMessages = false;
  for await (const parts of readParts(source)) {
    for (const part of parts) {
      if (part.index !== null) {
        bytes += part.bytes;
        const message = checkMessage(part);
        const time = messageTime(message);
        requireNotAhead(time, () => {
          return placeIn(part, [time === snowflakeTime(message.id) ? 'id' : 'timestamp']);
        });
        noteMessage(found, message, bytes);
        noteTimes(times, time, message, part);
      } else if (part.key === 'messages') hasMessages = requireArray(part);
      else {
        const verdict = addToHeader(header, part);
        if (verdict && 'reason' in verdict) return verdict;
        if (verdict) onPublic();
      }
    }
  }
  return conclude(header, hasMessages, found, times);
}

type Found = Pick<ExportFile, 'messages' | 'startedFromMessage' | 'batch'>;

function noteMessage(found: Found, message: ExportMessage, bytes: number): void {
  found.messages += 1;
  found.startedFromMessage ||= messageTypeNumber(message.type) === THREAD_STARTER;
  if (found.messages > BATCH_MESSAGES || bytes > BATCH_BYTES) found.batch = null;
  found.batch?.push(message);
}

/** A time that a message tells (microseconds since the epoch), and its place in the file. */
interface PlacedTime {
  time: number;
  place: string;
}
const NEVER: PlacedTime = { time: -Infinity, place: '' };

/** Times of the messages so far. */
interface Times {
  /** When the newest message was written (microseconds since the epoch). */
  newest: number | null;
  /** The latest `timestampEdited`. */
  edited: PlacedTime;
  /** The latest `asOf`. */
  told: PlacedTime;
}

function noteTimes(times: Times, time: number, message: ExportMessage, part: ExportPart): void {
  times.newest = Math.max(times.newest ?? -Infinity, time * 1_000);
  const later = (known: PlacedTime, key: 'timestampEdited' | 'asOf'): PlacedTime => {
    const at = timestampToMicrosOrNull(message[key]) ?? -Infinity;
    return at > known.time ? { time: at, place: placeIn(part, [key]) } : known;
  };
  times.edited = later(times.edited, 'timestampEdited');
  times.told = later(times.told, 'asOf');
}

function requireArray(part: ExportPart): true {
  if (part.value === undefined) return true;
  throw new ExportError('messages must be an array', `byte ${part.offset}`);
}

/** Keeps a checked part of the header. Returns the verdict once guild and channel are both known, else null. */
function addToHeader(header: Partial<ExportHeader>, part: ExportPart): HeaderVerdict | null {
  const checked = checkHeaderPart(part);
  if (checked === null) return null;
  Object.assign(header, checked);
  if (checked.channel) appliedTagIds(checked.channel);
  return isHeader(header) ? judgeHeader(header) : null;
}

function isHeader(header: Partial<ExportHeader>): header is ExportHeader {
  return header.guild !== undefined && header.channel !== undefined;
}

function conclude(
  header: Partial<ExportHeader>,
  hasMessages: boolean,
  found: Found,
  times: Times,
): Inspection {
  const missing = [
    ...(header.guild ? [] : ['guild']),
    ...(header.channel ? [] : ['channel']),
    ...(hasMessages ? [] : ['messages']),
  ];
  if (missing.length > 0 || !isHeader(header)) {
    throw new ExportError(`This is no export of a channel: ${missing.join(', ')} missing`);
  }
  const verdict = judgeHeader(header);
  if ('reason' in verdict) return verdict;
  if (verdict.kind === 'forum' && found.messages > 0) {
    throw new ExportError('A forum holds no messages of its own', 'messages');
  }
  return { kind: verdict.kind, header, asOf: fileTime(verdict.kind, header, times), ...found };
}

function fileTime(kind: ExportFile['kind'], header: ExportHeader, times: Times): number {
  const startedAt = snowflakeTime(header.channel.id);
  const exportedAt = timestampToMicrosOrNull(header.exportedAt);
  if (kind === 'thread' || exportedAt === null) requireNotAhead(startedAt, () => 'channel.id');
  if (exportedAt !== null) requireNotAhead(exportedAt / 1_000, () => 'exportedAt');
  const asOf = exportedAt ?? timeOfMessages(times) ?? startedAt * 1_000;
  if (times.told.time <= asOf) return asOf;
  throw new ExportError("asOf must not be later than the file's exportedAt", times.told.place);
}

/**
 * The latest time at which a message was written or edited; null without messages. Of two old files with the same
 * messages, the one that holds a later edit is surely the later one.
 */
function timeOfMessages({ newest, edited }: Times): number | null {
  if (newest === null || edited.time <= newest) return newest;
  requireNotAhead(edited.time / 1_000, () => edited.place);
  return edited.time;
}

/**
 * Throws ExportError for a time (milliseconds since the epoch) more than a year ahead. The newest source wins, so a
 * file from the future would win over every later one. A message from the future would be its thread's last activity
 * for good. It would also date its file, where the file does not tell its own time, and so would an edit, and the id of
 * a forum. A thread's id holds the time of its start: one from the future would be the newest of every list for good.
 */
function requireNotAhead(time: number, place: () => string): void {
  if (time > Date.now() + LONGEST_LEAD_MS) {
    throw new ExportError(
      `${new Date(time).toISOString()} is more than a year ahead of the archive's clock`,
      place(),
    );
  }
}

const KNOWN_KEYS = [...Object.keys(headerSchemas), 'messages'];

async function* readParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<ExportPart[]> {
  const splitter = new ExportSplitter(KNOWN_KEYS);
  for await (const chunk of inflate(source)) yield splitter.push(chunk);
  splitter.finish();
}
