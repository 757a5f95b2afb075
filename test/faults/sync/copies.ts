import { rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { createMirror, type Mirror } from '../../../services/indexer/mirror/mirror.js';
import { askToLookThrough } from '../../../services/indexer/mirror/lookThrough.js';
import { retryFiles } from '../../../services/indexer/mirror/mirrorFiles.js';
import { filePath } from '../../../shared/discordApi/cdnUrls.js';
import { createFreshLinks } from '../../../shared/discordApi/freshLinks.js';
import type { MirrorFiles } from '../../../shared/mirror/mirrorFiles.js';
import { openMirror, openWritableMirror } from '../../../shared/mirror/openMirror.js';
import { readSettings } from '../../../shared/platform/env.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import type { PublicThread } from '../../support/discord/model/model.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { storedKeys, type MirrorPlace } from '../../support/mirrorRig.js';
import type { TestStores } from '../../support/stores.js';
import { doTheRest, platformOf } from '../../support/syncRig.js';

/** Later than any file is tried again, or the mirror is looked through (ms). */
const LATER_MS = 3 * 86_400_000;
/** Larger files are not copied. */
const MOST_BYTES = 1_000_000;

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

/** Makes copies of the files of a double, in a place that is closed at the end. */
export function openCopies(
  { mongo, redis }: Pick<TestStores, 'mongo' | 'redis'>,
  discord: DiscordDouble,
  place: MirrorPlace,
): Copies {
  const settings = readSettings({
    ...place.env,
    DISCORD_CDN_URL: discord.cdnUrl,
    MIRROR_MAX_FILE_MB: String(MOST_BYTES / 1_000_000),
  });
  const newMirror = async (): Promise<Mirror> => {
    const { namespace } = mongo;
    const platform = platformOf({ redis, namespace }, discord);
    const files = (await openWritableMirror(settings, namespace))!;
    return createMirror(settings, files, createFreshLinks(platform));
  };
  const later = (): Date => new Date(Date.now() + LATER_MS);
  return {
    newMirror,
    retry: (deps) => retryFiles(deps, later()),
    async check(given, shown) {
      // While the bot was refused too often, a process asks for no more links.
      const mirror = await newMirror();
      const deps = { ...given, mirror: { ...mirror, files: madeOld(mirror.files) } };
      await askToLookThrough(deps, later());
      await doTheRest(deps);
      await retryFiles(deps, later());
      await doTheRest(deps);
      return compareCopies(deps, mirror, shown);
    },
    async close() {
      const { incoming } = (await openMirror(settings, mongo.namespace))!;
      await rm(incoming, { recursive: true, force: true });
      await place.close();
    },
  };
}

/** The same files, none of which counts as one that is being copied. */
function madeOld(files: MirrorFiles): MirrorFiles {
  return {
    ...files,
    async *list() {
      for await (const one of files.list()) yield { ...one, putAt: new Date(0) };
    },
  };
}

async function compareCopies(
  { collections }: IndexerDeps,
  { files, takes, cdnUrl }: Mirror,
  { places, userIds }: { places: readonly PublicThread[]; userIds: ReadonlySet<string> },
): Promise<string[]> {
  const left = new Set(await collections.optOuts.distinct('_id'));
  const messages = places.flatMap(({ guild, messages: said }) =>
    said.filter(({ authorId, webhook }) => webhook || !left.has(memberId(guild.id, authorId))),
  );
  const recorded = await syncOf(collections.sync, 'file').find({ kind: 'file' }).toArray();
  const known = new Map(recorded.map((record) => [record._id, record]));
  const sent = messages.flatMap(({ id, attachments }) =>
    attachments.map((file) => ({ _id: `file/attachments/${id}/${file.id}`, file })),
  );
  const wanted = sent.filter(
    ({ file: { contentType, size } }) => takes(contentType) && size <= MOST_BYTES,
  );
  const others = sent.filter((one) => !wanted.includes(one));
  const missing = wanted.filter(({ _id, file }) => {
    const { copy, problem, dueAt } = known.get(_id) ?? {};
    const isInVain = file.isLost && problem !== undefined && !dueAt;
    return !copy && !isInVain;
  });
  const people = await collections.members.find().toArray();
  const oldPictures = people.filter(({ userId, avatar }) => {
    const { source, copy, problem } = known.get(`file/avatars/${userId}`) ?? {};
    const isNewest = source === avatar && copy !== undefined && problem === undefined;
    return filePath(avatar, cdnUrl) !== null && !isNewest;
  });
  const isShown = await shownFiles(collections, new Set(messages.map(({ id }) => id)));
  const kept = recorded.flatMap(({ copy }) => copy?.key ?? []);
  const stored = await storedKeys(files);
  const wrong: string[] = [];
  for (const { _id, file } of wanted) {
    const copy = known.get(_id)?.copy;
    if (!copy) continue;
    const found = await files.open(copy.key, file.size);
    const bytes = found ? String(await buffer(found)) : 'not there, or has another length';
    if (!bytes.startsWith(`${file.id}\n`.slice(0, file.size)))
      wrong.push(`The copy of ${_id} is ${bytes.slice(0, 100)}`);
  }
  return [
    ...wrong,
    ...missing.map(
      ({ _id }) => `${_id} is shown, but not copied: ${JSON.stringify(known.get(_id))}`,
    ),
    ...oldPictures.map(({ userId, avatar }) => `${avatar} of ${userId} is not copied`),
    ...others
      .filter(({ _id }) => known.has(_id))
      .map(({ _id }) => `${_id} is too large, or of a type that is not copied, but is recorded`),
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
