import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { createMirror, type Mirror } from '../../../services/indexer/mirror/mirror.js';
import { askToLookThrough } from '../../../services/indexer/mirror/lookThrough.js';
import { retryFiles } from '../../../services/indexer/mirror/mirrorFiles.js';
import { createFreshLinks } from '../../../shared/discordApi/freshLinks.js';
import { openWritableMirror } from '../../../shared/mirror/openMirror.js';
import { readSettings } from '../../../shared/platform/env.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { PublicThread } from '../../support/discord/model/model.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { aFolder } from '../../support/mirrorRig.js';
import type { TestStores } from '../../support/stores.js';
import { doTheRest, platformOf } from '../../support/syncRig.js';

/** Later than any file is tried again, or the mirror is looked through (ms). */
const LATER_MS = 3 * 86_400_000;

/** The copies of files of a trial. */
export interface Copies {
  /** A mirror of a process that has just started. */
  newMirror(): Promise<Mirror>;
  /** Has files tried again that failed, as if days had passed. */
  retry(deps: IndexerDeps): Promise<void>;
  /**
   * Looks through the mirror once all else is done. Resolves with the shown files that are not copied, and the copies of
   * files that are not shown. `places` are the threads that are shown, with their messages, `userIds` are erased people.
   */
  check(
    deps: IndexerDeps,
    shown: { places: readonly PublicThread[]; userIds: ReadonlySet<string> },
  ): Promise<string[]>;
  close(): Promise<void>;
}

/** Makes a folder for copies of the files of a double. */
export async function openCopies(
  { mongo, redis }: Pick<TestStores, 'mongo' | 'redis'>,
  discord: DiscordDouble,
): Promise<Copies> {
  const place = await aFolder();
  const settings = readSettings({ ...place.env, DISCORD_CDN_URL: discord.cdnUrl });
  const folder = join(place.env['MIRROR_FOLDER']!, mongo.namespace);
  const stopped = new AbortController();
  const newMirror = async (): Promise<Mirror> => {
    const { namespace } = mongo;
    const platform = platformOf({ redis, namespace }, discord, { now: () => Promise.resolve(0) });
    const files = (await openWritableMirror(settings, namespace))!;
    return createMirror(settings, files, createFreshLinks(platform), stopped.signal);
  };
  const later = (): Date => new Date(Date.now() + LATER_MS);
  return {
    newMirror,
    retry: (deps) => retryFiles(deps, later()),
    async check(deps, shown) {
      await makeOld(folder);
      await askToLookThrough(deps, later());
      await doTheRest(deps);
      await retryFiles(deps, later());
      await doTheRest(deps);
      return compareCopies(deps, folder, shown);
    },
    async close() {
      stopped.abort();
      await place.close();
    },
  };
}

/** Has no file count as one that is being copied. */
async function makeOld(folder: string): Promise<void> {
  const longAgo = new Date(Date.now() - 86_400_000);
  for (const name of await filesIn(folder)) await utimes(join(folder, name), longAgo, longAgo);
}

/** The paths of all files in a folder, and in the folders in it. */
async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

async function compareCopies(
  { collections, mirror }: IndexerDeps,
  folder: string,
  { places, userIds }: { places: readonly PublicThread[]; userIds: ReadonlySet<string> },
): Promise<string[]> {
  const left = new Set(await collections.optOuts.distinct('_id'));
  const messages = places.flatMap(({ guild, messages: said }) =>
    said.filter(({ authorId, webhook }) => webhook || !left.has(memberId(guild.id, authorId))),
  );
  const recorded = await syncOf(collections.sync, 'file').find({ kind: 'file' }).toArray();
  const known = new Map(recorded.map((record) => [record._id, record]));
  const wanted = messages.flatMap(({ id, attachments }) =>
    attachments
      .filter(({ contentType }) => mirror!.takes(contentType))
      .map((file) => ({ _id: `file/attachments/${id}/${file.id}`, file })),
  );
  const missing = wanted.filter(({ _id }) => !known.get(_id)?.copy);
  const isShown = await shownFiles(collections, new Set(messages.map(({ id }) => id)));
  const kept = recorded.flatMap(({ copy }) => copy?.key ?? []);
  const stored = (await filesIn(folder)).filter((name) => !/^(owner|incoming)\//.test(name));
  const wrong: string[] = [];
  for (const { _id, file } of wanted) {
    const key = known.get(_id)?.copy?.key;
    if (key === undefined) continue;
    const bytes = await readFile(join(folder, key)).catch(String);
    if (!bytes.toString().startsWith(`${file.id}\n`.slice(0, file.size)))
      wrong.push(`The copy of ${_id} is ${bytes.toString().slice(0, 100)}`);
  }
  return [
    ...wrong,
    ...missing.map(
      ({ _id }) => `${_id} is shown, but not copied: ${JSON.stringify(known.get(_id))}`,
    ),
    ...recorded
      .filter((record) => !isShown(record))
      .map(({ _id, of }) => `${_id} is kept, but ${of} does not show it`),
    ...stored
      .filter((name) => !kept.includes(name))
      .map((name) => `The mirror holds ${name}, which no record names`),
    ...stored
      .filter((name) => [...userIds].some((id) => name.includes(id)))
      .map((name) => `The mirror holds ${name} of somebody who was erased`),
  ];
}

/** Judges whether readers are shown a file: an attachment of a shown message, or the picture of somebody or something. */
async function shownFiles(
  { members, servers }: IndexerDeps['collections'],
  messageIds: ReadonlySet<string>,
): Promise<(record: SyncFile) => boolean> {
  const people = new Set(await members.distinct('userId'));
  const places = new Set(await servers.distinct('_id', { deleted: { $ne: true } }));
  return ({ _id }) => {
    const [, kind, id = ''] = _id.split('/');
    if (kind === 'attachments') return messageIds.has(id);
    return kind === 'avatars' ? people.has(id) : places.has(id);
  };
}
