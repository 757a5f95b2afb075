import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Binary } from 'mongodb';
import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { SearchIndexLost } from '../../../services/indexer/permanentErrors.js';
import { reindexSearch } from '../../../services/indexer/search/reindexSearch.js';
import type { Collections } from '../../../shared/store/collections.js';
import { SERVER_LIST } from '../../../shared/store/bodyKinds.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { encodeBody } from '../../../services/indexer/stores/bodyWriter.js';
import { createStoreAccess } from '../../../services/indexer/stores/storeAccess.js';
import { awaitWork } from '../../../services/indexer/verify/awaitWork.js';
import type { DifferenceKind, VerifyReport } from '../../../shared/contract/verify.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { fileRecordId } from '../../../shared/store/syncRecords.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { requestDeletion } from '../../../shared/store/deletions.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { enterRebuild } from '../../../shared/store/searchGenerations.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { bodyOwner, pieceId, uploadOwner } from '../../../shared/store/pieces.js';
import { failedMark, failureOf } from '../../../shared/store/quarantine.js';
import { documentId, searchAlias, searchIndexName } from '../../../shared/store/searchIndex.js';
import { markId, NEVER, newMark } from '../../../shared/store/work.js';
import { claimMarks, LEASE_MS, setMarks } from '../../../services/indexer/work/claims.js';
import { ProcessStops } from '../../../services/indexer/work/commit.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import { aChannel, aMessage, aServer, aThread, anAuthor, anId } from '../../support/factories.js';
import { build } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { bringToRest, restingArchive, verifyNow } from '../../support/verifiedArchive.js';

interface Place {
  deps: IndexerDeps;
  collections: Collections;
  serverId: string;
  /** A thread for each case, its messages, and its starter, who writes nowhere else. */
  threadId: string;
  messageIds: string[];
  userId: string;
  /** Writes a search document that the archive does not know of. */
  index: (id: string, document: object, version?: number) => Promise<unknown>;
}

/** Breaks something. Resolves with the id that the difference must name. */
type Plant = (place: Place) => Promise<string>;

/** The id of an old upload. */
const ASIDE = '650000000000000000000009';

const LATER = 9_000_000_000_000_000 - 1;

/** What is broken, and the kinds of difference that must be found. */
const PLANTED: [kinds: DifferenceKind[], what: string, plant: Plant][] = [
  [
    ['thread.waiting'],
    'a mark that nobody takes',
    async ({ collections: { work }, threadId }) => {
      await work.insertOne(newMark('thread', threadId));
      return threadId;
    },
  ],
  [
    ['thread.wrong', 'search.wrong'],
    'a change without its mark',
    async ({ collections: { messages }, threadId, messageIds }) => {
      await messages.updateOne({ _id: messageIds[1]! }, { $set: { content: 'Other words' } });
      return threadId;
    },
  ],
  [
    ['thread.quarantined'],
    'a thread that was quarantined',
    async ({ collections: { work }, threadId }) => {
      const about = { kind: 'thread' as const, subject: threadId };
      const failed = { threadId, revision: 0, reason: 'Error: x', count: 5 };
      const failure = failureOf(undefined, { ...about, ...failed });
      const mark = { ...about, at: new Date(), due: NEVER, tries: 4, failure };
      const _id = markId('thread', threadId);
      await work.insertOne({ ...mark, _id, token: 'x' });
      return threadId;
    },
  ],
  [
    ['work.waiting'],
    'a mark to count that nobody takes',
    async ({ collections: { work }, serverId }) => {
      await work.insertOne(newMark('server', serverId));
      return markId('server', serverId);
    },
  ],
  [
    ['thread.wrong'],
    'a missing body',
    async ({ collections: { bodies }, threadId }) => {
      await bodies.deleteOne({ _id: `thread/${threadId}` });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a body of an older renderer',
    async ({ collections: { bodies }, threadId }) => {
      await bodies.updateOne({ _id: `thread/${threadId}` }, { $set: { renderer: 0 } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a damaged body',
    async ({ collections: { bodies }, threadId }) => {
      const body = (await bodies.findOne({ _id: `thread/${threadId}` }))!;
      const bytes = Buffer.from(body.gzip!.value());
      bytes[bytes.length >> 1]! ^= 0xff;
      await bodies.updateOne({ _id: body._id }, { $set: { gzip: new Binary(bytes) } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a body whose entity tag is not its text’s',
    async ({ collections: { bodies }, threadId }) => {
      await bodies.updateOne({ _id: `thread/${threadId}` }, { $set: { etag: 'x'.repeat(27) } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a body without an attachment',
    async ({ collections, threadId }) => {
      await rewriteBody(collections, `thread/${threadId}`, (text) =>
        text.replace(/"attachments":\[\{[^\]]*\]/, '"attachments":[]'),
      );
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a body in which words were changed',
    async ({ collections, threadId }) => {
      await rewriteBody(collections, `thread/${threadId}`, otherWord);
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'missing participants',
    async ({ collections: { bodies }, threadId }) => {
      await bodies.deleteOne({ _id: `participants/${threadId}` });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'participants with a wrong count',
    async ({ collections, threadId }) => {
      await rewriteBody(collections, `participants/${threadId}`, (text) =>
        text.replace('"messageCount":2', '"messageCount":3'),
      );
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'damaged participants',
    async ({ collections: { bodies }, threadId }) => {
      await bodies.updateOne({ _id: `participants/${threadId}` }, { $inc: { length: 1 } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a thread that is in no list',
    async ({ collections: { threadItems }, threadId }) => {
      await threadItems.deleteOne({ _id: threadId });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a wrong count of messages',
    async ({ collections: { threadItems }, threadId }) => {
      await threadItems.updateOne({ _id: threadId }, { $inc: { 'facts.messages': 1 } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a list item without its facts',
    async ({ collections: { threadItems }, threadId }) => {
      await threadItems.updateOne({ _id: threadId }, { $unset: { facts: '' } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a thread that one list leaves out',
    async ({ collections: { threadItems }, threadId }) => {
      await threadItems.updateOne({ _id: threadId }, { $pop: { scopes: 1 } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a thread whose links are not as it was said',
    async ({ collections: { threadItems }, threadId }) => {
      await threadItems.updateOne({ _id: threadId }, { $set: { linksTo: [anId()] } });
      return threadId;
    },
  ],
  [
    ['thread.shown', 'thread.wrong', 'search.shown', 'similar.wrong'],
    'views of a thread that is deleted',
    async ({ collections: { threads, messages }, threadId }) => {
      await threads.updateOne({ _id: threadId }, { $set: { deleted: true } });
      await messages.updateMany({ threadId }, { $set: REDACTED });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a missing contribution',
    async ({ collections: { contributions }, threadId, userId }) => {
      await contributions.deleteOne({ _id: `${threadId}/${userId}` });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a wrong contribution',
    async ({ collections: { contributions }, threadId, userId }) => {
      await contributions.updateOne({ _id: `${threadId}/${userId}` }, { $inc: { messages: 1 } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a contribution that names somebody wrongly',
    async ({ collections: { contributions }, threadId, userId }) => {
      const wrong = { 'author.displayName': 'Somebody else' };
      await contributions.updateOne({ _id: `${threadId}/${userId}` }, { $set: wrong });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a contribution without an author',
    async ({ collections: { contributions }, threadId, userId }) => {
      await contributions.updateOne({ _id: `${threadId}/${userId}` }, { $unset: { author: '' } });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a contribution without its times',
    async ({ collections: { contributions }, threadId, userId }) => {
      const times = { $unset: { firstAt: '', lastAt: '' } } as const;
      await contributions.updateOne({ _id: `${threadId}/${userId}` }, times);
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a contribution without a list of days',
    async ({ collections: { contributions }, threadId, userId }) => {
      const days = { days: 'Monday' } as never;
      await contributions.updateOne({ _id: `${threadId}/${userId}` }, { $set: days });
      return threadId;
    },
  ],
  [
    ['thread.wrong'],
    'a contribution of somebody who said nothing',
    async ({ collections: { contributions }, threadId, userId }) => {
      const row = (await contributions.findOne({ _id: `${threadId}/${userId}` }))!;
      const other = anId();
      await contributions.insertOne({ ...row, _id: `${threadId}/${other}`, userId: other });
      return threadId;
    },
  ],
  [
    ['search.wrong'],
    'a missing search document',
    async ({ deps, messageIds, threadId }) => {
      const id = documentId('message', messageIds[1]!);
      await deps.elasticsearch.delete({ index: searchAlias(deps.namespace), id });
      return threadId;
    },
  ],
  [
    ['search.wrong'],
    'a search document of a version that was never given',
    async ({ deps, threadId, index }) => {
      const id = documentId('thread', threadId);
      const place = { index: searchAlias(deps.namespace), id };
      const { _source } = await deps.elasticsearch.get<object>(place);
      await index(id, _source!, LATER);
      return threadId;
    },
  ],
  [
    ['search.wrong'],
    'a search document with another title',
    async ({ deps, threadId, messageIds, index }) => {
      const id = documentId('message', messageIds[1]!);
      const place = { index: searchAlias(deps.namespace), id };
      const { _source, _version } = await deps.elasticsearch.get<object>(place);
      await index(id, { ..._source, title: 'Another' }, _version);
      return threadId;
    },
  ],
  [
    ['search.shown'],
    'a document of a message that is not recorded',
    async ({ threadId, index }) => {
      const messageId = anId();
      await index(documentId('message', messageId), aDocument(threadId, messageId), LATER);
      return threadId;
    },
  ],
  [
    ['search.shown'],
    'a document that is of no kind',
    async ({ threadId, index }) => {
      await index('of-no-kind', { threadId, idKey: idKey(threadId) }, LATER);
      return threadId;
    },
  ],
  [
    ['similar.wrong'],
    'a missing list of similar threads',
    async ({ collections: { bodies }, threadId }) => {
      await bodies.deleteOne({ _id: `similar/${threadId}` });
      return threadId;
    },
  ],
  [
    ['similar.wrong'],
    'a damaged list of similar threads',
    async ({ collections: { bodies }, threadId }) => {
      await bodies.updateOne({ _id: `similar/${threadId}` }, { $inc: { length: 1 } });
      return threadId;
    },
  ],
  [
    ['similar.wrong'],
    'a list of similar threads that names one that is gone',
    async ({ collections: { similar }, threadId }) => {
      await similar.updateOne({ _id: threadId }, { $push: { similarTo: anId() } });
      return threadId;
    },
  ],
  [
    ['similar.wrong'],
    'a list of similar threads that shows one as it was',
    async ({ collections, threadId }) => {
      await rewriteBody(collections, `similar/${threadId}`, otherWord);
      return threadId;
    },
  ],
  [
    ['similar.wrong'],
    'a list of similar threads that could not be made again',
    async ({ collections, threadId }) => {
      await rewriteBody(collections, `similar/${threadId}`, otherWord);
      await collections.work.insertOne({ ...newMark('shown', threadId), due: NEVER, tries: 4 });
      return threadId;
    },
  ],
  [
    ['view.orphan'],
    'a contribution to a thread that is not recorded',
    async ({ collections: { contributions }, threadId, userId }) => {
      const row = (await contributions.findOne({ _id: `${threadId}/${userId}` }))!;
      const other = anId();
      await contributions.insertOne({ ...row, _id: `${other}/${userId}`, threadId: other });
      return other;
    },
  ],
  [
    ['view.orphan'],
    'a body of a thread that is not recorded',
    async ({ collections }) => {
      const other = anId();
      await collections.bodies.insertOne(encodeBody(`thread/${other}`, 1, '{}'));
      return other;
    },
  ],
  [
    ['view.orphan'],
    'a search document of a thread that is not recorded',
    async ({ index }) => {
      const [other, messageId] = [anId(), anId()];
      await index(documentId('message', messageId), aDocument(other, messageId), LATER);
      return other;
    },
  ],
  [
    ['deleted.kept'],
    'words of a deleted thread',
    async ({ collections: { threads, messages } }) => {
      const thread = aThread({ title: '', deleted: true });
      await threads.insertOne(thread);
      await messages.insertOne(aMessage({ threadId: thread._id }));
      return thread._id;
    },
  ],
  [
    ['deleted.kept'],
    'a notice in a deleted thread',
    async ({ collections: { threads, messages } }) => {
      const thread = aThread({ title: '', deleted: true });
      await threads.insertOne(thread);
      await messages.insertOne(aMessage({ threadId: thread._id, counted: false }));
      return thread._id;
    },
  ],
  [
    ['deleted.kept'],
    'words of a deleted message',
    async ({ collections: { messages }, threadId }) => {
      await messages.insertOne(aMessage({ threadId, deleted: true }));
      return threadId;
    },
  ],
  [
    ['erased.kept'],
    'a notice of somebody who was erased',
    async ({ collections, threadId }) => {
      const author = { ...anAuthor('eve'), id: await noteErased(collections) };
      await collections.messages.insertOne(aMessage({ threadId, author, counted: false }));
      return threadId;
    },
  ],
  [
    ['erased.kept'],
    'a notice that mentions somebody who was erased',
    async ({ collections, threadId }) => {
      const content = `Added <@${await noteErased(collections)}>`;
      await collections.messages.insertOne(aMessage({ threadId, content, counted: false }));
      return threadId;
    },
  ],
  [
    ['thread.shown', 'search.shown', 'erased.kept'],
    'words about somebody who was erased, in a thread of a forum that is withheld',
    async ({ collections, serverId, threadId, messageIds }) => {
      const content = `Ask <@${await noteErased(collections)}>`;
      const channel = aChannel({ serverId, withheldAt: new Date() });
      await collections.channels.insertOne(channel);
      const moved = { $set: { channelId: channel._id } };
      await collections.threads.updateOne({ _id: threadId }, moved);
      await collections.messages.updateOne({ _id: messageIds[1]! }, { $set: { content } });
      return threadId;
    },
  ],
  [
    ['deleted.kept'],
    'the title of a deleted thread',
    async ({ collections: { threads }, serverId }) => {
      const [channelId] = await threads.distinct('channelId', { serverId });
      const thread = aThread({ serverId, channelId: channelId!, deleted: true });
      await threads.insertOne(thread);
      return thread._id;
    },
  ],
  [
    ['deleted.kept'],
    'a file of a deleted message',
    async ({ collections: { messages }, messageIds, threadId }) => {
      const [message] = messageIds.slice(-1);
      const { attachments: _kept, author: _author, ...rest } = REDACTED;
      await messages.updateOne({ _id: message! }, { $set: rest });
      return threadId;
    },
  ],
  [
    ['deleted.kept'],
    'the message that a deleted one answered',
    async ({ collections: { messages }, messageIds, threadId }) => {
      const [answered, message] = messageIds.slice(-2);
      const ids = { messageId: answered!, channelId: threadId, guildId: null };
      const reference = { type: 'reply' as const, ...ids };
      await messages.updateOne({ _id: message! }, { $set: { ...REDACTED, reference } });
      return threadId;
    },
  ],
  [
    ['deleted.kept'],
    'a thread of a deleted channel',
    async ({ collections: { threads, channels }, serverId }) => {
      const channel = aChannel({ serverId, name: '', deleted: true });
      await channels.insertOne(channel);
      const thread = aThread({ serverId, channelId: channel._id });
      await threads.insertOne(thread);
      return thread._id;
    },
  ],
  [
    ['erased.kept'],
    'somebody who was erased',
    async ({ collections, threadId, userId }) => {
      await noteErased(collections, userId);
      return threadId;
    },
  ],
  [
    ['erased.kept'],
    'a mention of somebody who was erased',
    async ({ collections, threadId, messageIds }) => {
      const userId = await noteErased(collections);
      const content = `Ask <@${userId}> for a sextant`;
      await collections.messages.updateOne({ _id: messageIds[1]! }, { $set: { content } });
      return threadId;
    },
  ],
  [
    ['erased.kept'],
    'a reaction of somebody who was erased',
    async ({ collections, threadId, messageIds }) => {
      const userId = await noteErased(collections);
      const change = { $set: { 'reactions.0.userIds': [userId] } };
      await collections.messages.updateOne({ _id: messageIds[0]! }, change);
      return threadId;
    },
  ],
  [
    ['erased.kept'],
    'a title that names somebody who was erased',
    async ({ collections, threadId }) => {
      const title = `What <@${await noteErased(collections)}> said`;
      await collections.threads.updateOne({ _id: threadId }, { $set: { title } });
      return threadId;
    },
  ],
  [
    ['erased.kept'],
    'a thread that somebody started who was erased',
    async ({ collections, threadId }) => {
      const ownerId = await noteErased(collections);
      await collections.threads.updateOne({ _id: threadId }, { $set: { ownerId } });
      return threadId;
    },
  ],
  [
    ['server.wrong', 'erased.kept'],
    'a topic that names somebody who was erased',
    async ({ collections, serverId }) => {
      const topic = `Ask <@${await noteErased(collections)}>`;
      const filter = { serverId, deleted: { $ne: true } } as const;
      await collections.channels.updateOne(filter, { $set: { topic } });
      return serverId;
    },
  ],
  [
    ['server.wrong', 'erased.kept'],
    'a description that names somebody who was erased',
    async ({ collections }) => {
      const server = aServer({ description: `Ask <@${await noteErased(collections)}>` });
      await collections.servers.insertOne(server);
      return server._id;
    },
  ],
  [
    ['person.wrong'],
    'somebody who is not counted on the server',
    async ({ collections: { members }, serverId, userId }) => {
      await members.deleteOne({ _id: `${serverId}/${userId}` });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'somebody who is counted wrongly',
    async ({ collections: { members }, serverId, userId }) => {
      await members.updateOne({ _id: `${serverId}/${userId}` }, { $inc: { messages: 1 } });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'somebody whose first message has no time',
    async ({ collections: { members }, serverId, userId }) => {
      await members.updateOne({ _id: `${serverId}/${userId}` }, { $unset: { firstAt: '' } });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'somebody whose totals are stored as those of somebody else',
    async ({ collections: { members }, serverId, userId }) => {
      const other = { $set: { userId: anAuthor('bob').id } };
      await members.updateOne({ _id: `${serverId}/${userId}` }, other);
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'somebody with another picture',
    async ({ collections: { members }, serverId, userId }) => {
      const avatar = 'https://cdn.discordapp.com/other.png';
      await members.updateOne({ _id: `${serverId}/${userId}` }, { $set: { avatar } });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'somebody who is counted without a word',
    async ({ collections: { members }, serverId, userId }) => {
      const row = (await members.findOne({ _id: `${serverId}/${userId}` }))!;
      const nobody = anId();
      await members.insertOne({ ...row, _id: `${serverId}/${nobody}`, userId: nobody });
      return nobody;
    },
  ],
  [
    ['person.wrong'],
    'a wrong rank',
    async ({ collections: { ranks }, serverId, userId }) => {
      const _id = `${serverId}/messages/all/${userId}`;
      await ranks.updateOne({ _id }, { $set: { count: 99 } });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'a line of a leaderboard that is stored as that of somebody else',
    async ({ collections: { ranks }, serverId, userId }) => {
      const other = { $set: { member: memberId(serverId, anAuthor('bob').id) } };
      await ranks.updateOne({ _id: `${serverId}/messages/all/${userId}` }, other);
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'a line of a leaderboard that is nobody’s',
    async ({ collections: { ranks }, serverId, userId }) => {
      const _id = `${serverId}/messages/all/${userId}`;
      await ranks.updateOne({ _id }, { $unset: { member: '' } });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'somebody who is missing on a leaderboard',
    async ({ collections: { ranks }, serverId, userId }) => {
      await ranks.deleteOne({ _id: `${serverId}/messages/all/${userId}` });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'somebody on a leaderboard of whom nothing is known',
    async ({ collections: { ranks }, serverId, userId }) => {
      const line = (await ranks.findOne({ _id: `${serverId}/messages/all/${userId}` }))!;
      const nobody = anId();
      await ranks.insertOne({ ...line, _id: `x/${nobody}`, member: `${serverId}/${nobody}` });
      return nobody;
    },
  ],
  [
    ['person.wrong'],
    'a wrong profile',
    async ({ collections, userId }) => {
      await rewriteBody(collections, `user/${userId}`, (text) =>
        text.replace('"threadCount":', '"threadCount":1'),
      );
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'a missing profile',
    async ({ collections: { bodies }, userId }) => {
      await bodies.deleteOne({ _id: `user/${userId}` });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'a damaged profile',
    async ({ collections: { bodies }, userId }) => {
      await bodies.updateOne({ _id: `user/${userId}` }, { $inc: { length: 1 } });
      return userId;
    },
  ],
  [
    ['person.wrong'],
    'a profile of nobody',
    async ({ collections }) => {
      const nobody = anId();
      await collections.bodies.insertOne(encodeBody(`user/${nobody}`, 1, '{}'));
      return nobody;
    },
  ],
  [
    ['server.wrong'],
    'wrong statistics',
    async ({ collections, serverId }) => {
      await rewriteBody(collections, `stats/${serverId}`, (text) =>
        text.replace('"total":', '"total":1'),
      );
      return serverId;
    },
  ],
  [
    ['server.wrong'],
    'channels that cannot be read',
    async ({ collections: { bodies }, serverId }) => {
      await bodies.deleteOne({ _id: `channels/${serverId}` });
      return serverId;
    },
  ],
  [
    ['server.wrong'],
    'a damaged list of servers',
    async ({ collections: { bodies } }) => {
      await bodies.updateOne({ _id: 'servers/all' }, { $inc: { length: 1 } });
      return 'all';
    },
  ],
  [
    ['server.wrong'],
    'a server that is not recorded',
    async ({ collections }) => {
      const nobodys = anId();
      await collections.bodies.insertOne(encodeBody(`server/${nobodys}`, 1, '{}'));
      return nobodys;
    },
  ],
  [
    ['server.wrong'],
    'statistics of a server that is not recorded',
    async ({ collections }) => {
      const nobodys = anId();
      await collections.bodies.insertOne(encodeBody(`stats/${nobodys}`, 1, '{}'));
      return nobodys;
    },
  ],
  [
    ['piece.orphan'],
    'a piece of a body that was never finished',
    async ({ collections: { pieces }, threadId }) => {
      const owner = bodyOwner(`thread/${threadId}`, 7);
      const data = new Binary(Buffer.from('x'));
      await pieces.insertOne({ _id: pieceId(owner, 0), data, last: false });
      return owner;
    },
  ],
  [
    ['piece.orphan'],
    'an upload that nobody waits for',
    async ({ collections: { pieces } }) => {
      const owner = uploadOwner('650000000000000000000000');
      const data = new Binary(Buffer.from('x'));
      await pieces.insertOne({ _id: pieceId(owner, 0), data, last: true });
      return owner;
    },
  ],
  [
    ['upload.missing'],
    'a file whose bytes are gone',
    async ({ collections: { importFiles } }) => {
      const _id = '650000000000000000000001';
      const file = { importId: 'x', name: 'a.json', bytes: 1, queuedAt: new Date() };
      await importFiles.insertOne({ ...file, _id, state: 'queued' });
      return _id;
    },
  ],
];

describe('verifyArchive', () => {
  const { stores, deps } = indexerSuite();

  it('finds nothing in an archive that holds nothing', async () => {
    expect(await verifyNow(deps)).to.deep.include({ clean: true, differences: [], counts: {} });
  });

  describe('of an archive in which everything is broken', () => {
    const ids: string[] = [];
    /** For each part of the archive, what was found and what was mended. */
    const reports = new Map<string, { found: VerifyReport; mended: VerifyReport }>();
    let resting: VerifyReport;
    let restored: VerifyReport;

    before(async () => {
      const { serverId, threads } = await restingArchive(deps, stores, PLANTED.length);
      const index: Place['index'] = (id, document, version = 1) =>
        deps.elasticsearch.index({
          index: searchAlias(deps.namespace),
          id,
          document,
          version,
          version_type: 'external_gte',
        });
      const plantAll = async (part: string): Promise<void> => {
        for (const [n, [[kind], , plant]] of PLANTED.entries()) {
          if (partOf(kind!) !== part) continue;
          const { threadId, messageIds, starter } = threads[n]!;
          const place = { serverId, threadId, messageIds, userId: starter.id };
          ids[n] = await plant({ deps, collections: deps.collections, index, ...place });
        }
      };
      await setFileAside(deps.collections);
      resting = await verifyNow(deps);
      // The parts are broken one after another, because mending threads has everything counted again.
      for (const part of ['threads', 'people', 'servers', 'leftovers']) {
        await plantAll(part);
        const found = await verifyNow(deps);
        reports.set(part, { found, mended: await verifyNow(deps, { repair: true }) });
        await bringToRest(deps, stores);
      }
      restored = await verifyNow(deps);
    });

    it('finds nothing while the archive is intact', () => {
      expect(resting).to.deep.include({ clean: true, differences: [], counts: {}, repaired: 0 });
      const size = PLANTED.length;
      const { checked } = resting;
      expect(checked).to.include({ threads: size, messages: 3 * size });
      expect(checked).to.include({ items: size, contributions: 2 * size, documents: 4 * size });
      expect(checked).to.include({ bodies: 4 * size + 1, people: size + 1, members: size + 1 });
    });

    for (const [n, [kinds, what]] of PLANTED.entries()) {
      it(`finds and mends ${what}`, () => {
        const { found, mended } = reports.get(partOf(kinds[0]!))!;
        for (const kind of kinds) {
          const isIt = (one: { kind: string; id: string }) =>
            one.kind === kind && one.id === ids[n];
          expect(found.differences.find(isIt), kind).to.include({ mended: false });
          expect(mended.differences.find(isIt), kind).to.include({ mended: true });
        }
      });
    }

    it('leaves nothing of it after the repair', () => {
      for (const { found, mended } of reports.values()) {
        expect(found.clean).to.equal(false);
        expect(mended.differences.filter((one) => !one.mended)).to.deep.equal([]);
        expect(mended.clean).to.equal(true);
      }
      expect(restored).to.deep.include({ clean: true, differences: [], counts: {}, repaired: 0 });
    });

    it('removes the words of a deleted message, but keeps its thread', async () => {
      const { threads, messages } = deps.collections;
      const threadId = ids[PLANTED.findIndex(([, what]) => what === 'words of a deleted message')]!;
      const thread = await threads.findOne({ _id: threadId });
      expect(thread).not.to.have.property('deleted');
      expect(await messages.findOne({ threadId, deleted: true })).to.include({ content: '' });
    });

    it('keeps the upload of a quarantined file', async () => {
      const { pieces } = deps.collections;
      expect(await pieces.findOne({ _id: pieceId(uploadOwner(ASIDE), 0) })).not.to.equal(null);
    });
  });
});

/** Records somebody's erasure as done, although nothing of them was removed. Returns their id. */
async function noteErased(collections: Collections, userId = anId()): Promise<string> {
  const _id = await requestErasure(collections, userId);
  const done = { $set: { finishedAt: new Date() }, $unset: { userId: '' } } as const;
  await collections.erasures.updateOne({ _id }, done);
  return userId;
}

/** A file that was quarantined long ago. Its upload is kept for another try, so it is no difference. */
async function setFileAside(collections: Collections): Promise<void> {
  const { importFiles, work, pieces } = collections;
  const at = new Date('2024-01-01T00:00:00.000Z');
  const file = { importId: 'x', name: 'a.json', bytes: 1, queuedAt: at, finishedAt: at };
  await importFiles.insertOne({ ...file, _id: ASIDE, state: 'rejected' });
  const data = new Binary(Buffer.from('x'));
  await pieces.insertOne({ _id: pieceId(uploadOwner(ASIDE), 0), data, last: true });
  const failed = { subject: ASIDE, threadId: null, revision: 0, reason: 'Error: x', count: 5 };
  const failure = failureOf(undefined, { ...failed, kind: 'file' }, at);
  await work.insertOne(failedMark('file', ASIDE, failure));
}

/** Does marks as the background loops do, until the signal is aborted. */
async function workOn(deps: IndexerDeps, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await runDue(deps);
    await pause(50);
  }
}

/** The part of the archive in which a kind of difference is found. */
function partOf(kind: DifferenceKind): string {
  if (kind === 'person.wrong') return 'people';
  if (kind === 'server.wrong') return 'servers';
  return ['piece.orphan', 'upload.missing', 'work.waiting'].includes(kind)
    ? 'leftovers'
    : 'threads';
}

function otherWord(text: string): string {
  return text.replace('sextant', 'compass');
}

function aDocument(threadId: string, messageId: string): object {
  return { kind: 'message', idKey: idKey(messageId), threadId, messageId, content: 'Boo' };
}

async function rewriteBody(
  collections: IndexerDeps['collections'],
  _id: string,
  change: (text: string) => string,
): Promise<void> {
  const body = await collections.bodies.findOne({ _id });
  const text = gunzipSync(body!.gzip!.value()).toString();
  expect(change(text)).not.to.equal(text);
  await collections.bodies.replaceOne({ _id }, encodeBody(_id, body!.revision, change(text)));
}

describe('verifyArchive, of a small archive', () => {
  const { stores, deps } = indexerSuite('cleared');

  it('reports work that was promised long ago and is not done, and no other', async () => {
    const { deletions, erasures, importFiles, pieces } = deps.collections;
    const [long, now] = [new Date(Date.now() - 2 * 3_600_000), new Date()];
    const erased = (_id: string, requestedAt: Date) => ({ _id, requestedAt, userId: anId() });
    const deletion = (subject: string, requestedAt: Date) => {
      return { _id: `thread-${subject}`, kind: 'thread' as const, subject, requestedAt };
    };
    const file = (_id: string, queuedAt: Date) => {
      const state = 'queued' as const;
      return { _id, importId: 'x', name: 'a.json', bytes: 1, state, queuedAt };
    };
    await deletions.insertMany([deletion('1', long), deletion('2', now)]);
    await erasures.insertMany([erased('late', long), erased('new', now)]);
    await erasures.insertOne({ _id: 'done', requestedAt: long, finishedAt: long });
    await importFiles.insertMany([file('a', long), file('b', now)]);
    const data = new Binary();
    const firstPiece = (id: string) => pieceId(uploadOwner(id), 0);
    await pieces.insertMany(['a', 'b'].map((id) => ({ _id: firstPiece(id), data, last: true })));
    const found = async () =>
      (await verifyNow(deps)).differences.map(({ kind, id }) => `${kind} ${id}`);
    const asked = ['work.waiting thread-1', 'work.waiting late'];
    expect(await found()).to.deep.equal([...asked, 'work.waiting a']);
    await setMarks(deps, 'file', ['b'], { due: new Date(Date.now() + 3_600_000) });
    expect(await found()).to.deep.equal(asked);
  });

  it('waits for a late request whose job has only begun', async () => {
    const { threads } = await restingArchive(deps, stores, 2);
    const { threadId } = threads[0]!;
    const { deletions } = deps.collections;
    await requestDeletion(deps.collections, 'thread', threadId);
    await deletions.updateMany({}, { $set: { requestedAt: new Date(Date.now() - 2 * 3_600_000) } });
    const verified = verifyNow(deps, { patienceMs: 100_000 });
    expect(await Promise.race([verified, pause(1_000, 'waiting')])).to.equal('waiting');
    await createHandlers(deps)['delete-thread']({ threadId });
    expect(await verified).to.deep.include({ differences: [], clean: true });
  });

  it('has the rolling periods counted that ended at midnight, however late they are marked', async () => {
    await restingArchive(deps, stores, 2);
    const { members } = deps.collections;
    const { matchedCount } = await members.updateMany({}, { $inc: { periodDay: -1 } });
    expect(matchedCount).to.be.above(2);
    const ended = new AbortController();
    const working = workOn(deps, ended.signal);
    const report = await verifyNow(deps, { patienceMs: 2_000 });
    ended.abort();
    await working;
    expect(report).to.deep.include({ differences: [], clean: true });
    expect(report.checked).to.include({ again: matchedCount });
  });

  it('gives up waiting where nobody works, even if the clock of the machine is set back', async () => {
    const { collections } = deps;
    await collections.work.insertOne(newMark('channel', '1'));
    let time = Date.now();
    const clock = mock.method(Date, 'now', () => (time -= 1_000));
    await awaitWork(deps, 10).finally(() => {
      clock.mock.restore();
    });
    expect(await collections.work.countDocuments()).to.equal(1);
  });

  it('counts what is left only now and then where a count takes long', async () => {
    const { work } = deps.collections;
    await work.insertOne(newMark('channel', '1'));
    const count = work.countDocuments.bind(work);
    const slow = mock.method(work, 'countDocuments', async (...asked: Parameters<typeof count>) => {
      await pause(200);
      return count(...asked);
    });
    await awaitWork(deps, 2_500).finally(() => {
      slow.mock.restore();
    });
    // Counts that follow each other without a rest would be 9.
    expect(slow.mock.callCount()).to.be.within(2, 4);
    await work.deleteMany({});
  });

  it('reports nothing that a worker is still busy with', async () => {
    const { threads, serverId } = await restingArchive(deps, stores, 2);
    const { work } = deps.collections;
    await setMarks(deps, 'thread', [threads[0]!.threadId]);
    await setMarks(deps, 'server', [serverId]);
    const claimed = await claimMarks(deps, await work.find().toArray());
    expect(claimed).to.have.length(2);
    let end = Date.now() + LEASE_MS;
    const renewing = setInterval(() => {
      void work.updateMany({}, { $set: { due: new Date((end += 1_000)) } });
    }, 20);
    const { differences } = await verifyNow(deps, { patienceMs: 20 }).finally(() => {
      clearInterval(renewing);
    });
    expect(differences).to.deep.equal([]);
    // The worker has died.
    const found = (await verifyNow(deps)).differences.map(({ kind }) => kind);
    expect(found).to.deep.equal(['thread.waiting', 'work.waiting']);
  });

  it('reports nothing where the process stops as it repairs', async () => {
    const { threads } = await restingArchive(deps, stores, 1);
    await deps.collections.bodies.deleteOne({ _id: `thread/${threads[0]!.threadId}` });
    const stopped = new AbortController();
    const write = (): Promise<never> => {
      const error = new ProcessStops();
      stopped.abort(error);
      return Promise.reject(error);
    };
    const stopping = { ...deps, search: { ...deps.search, write }, signal: stopped.signal };
    const ended = verifyNow(stopping, { repair: true }).catch((error: unknown) => error);
    expect(await ended).to.equal(stopped.signal.reason);
  });

  it('does not claim to have compared a thread that waits', async () => {
    await restingArchive(deps, stores, 2);
    const before = (await verifyNow(deps)).checked;
    expect(before).to.include({ threads: 2 }).and.not.have.property('again');
    const thread = (await deps.collections.threads.findOne())!;
    await deps.collections.work.insertOne(newMark('thread', thread._id));
    const { checked } = await verifyNow(deps);
    expect(checked).to.include({ threads: 1, messages: before['messages']! / 2, again: 1 });
  });

  it('finds what is left of an erased person in a thread that cannot be built', async () => {
    const { threads } = await restingArchive(deps, stores, 1);
    const { threadId, messageIds } = threads[0]!;
    const { messages } = deps.collections;
    const content = `Ask <@${await noteErased(deps.collections)}>`;
    await messages.updateOne({ _id: messageIds[1]! }, { $set: { content } });
    await messages.updateOne({ _id: messageIds[0]! }, { $set: { author: null as never } });
    const { differences } = await verifyNow(deps);
    const own = differences.filter(({ id }) => id === threadId);
    expect(own.map(({ kind }) => kind)).to.have.members(['thread.wrong', 'erased.kept']);
  });

  for (const place of ['channels', 'servers'] as const) {
    it(`keeps what is shown of threads whose record among the ${place} is missing`, async () => {
      const { serverId, channelId, threads } = await restingArchive(deps, stores, 2);
      const { bodies, threadItems } = deps.collections;
      if (place === 'channels') await deps.collections.channels.deleteOne({ _id: channelId });
      else await deps.collections.servers.deleteOne({ _id: serverId });
      await setMarks(deps, 'thread', [threads[0]!.threadId]);
      const shown = () => bodies.find({ _id: /^(?!servers)/, gone: { $ne: true } }).toArray();
      const listOfServers = async () => (await bodies.findOne({ _id: SERVER_LIST }))!.etag;
      const before = await shown();
      const listed = await listOfServers();
      const found = await verifyNow(deps);
      const mended = await verifyNow(deps, { repair: true });
      for (const { clean, counts } of [found, mended]) {
        expect(clean).to.equal(false);
        expect(counts['record.orphan']).to.deep.equal({ found: 2, mended: 0 });
        const kinds = Object.keys(counts).filter((kind) => !kind.startsWith('server.'));
        expect(kinds).to.deep.equal(['record.orphan']);
      }
      const names = (some: { _id: string }[]) => some.map(({ _id }) => _id);
      expect(names(await shown())).to.have.members(names(before));
      expect(await listOfServers()).to.equal(listed);
      expect(await threadItems.countDocuments()).to.equal(2);
    });
  }

  for (const place of ['in its thread', 'in another thread'] as const) {
    it(`keeps a message that is recorded ${place} while its document is being removed`, async () => {
      const { threads } = await restingArchive(deps, stores, 2);
      const [found, other] = threads;
      const { threadId, starter } = place === 'in its thread' ? found! : other!;
      const messageId = anId();
      const at = { index: searchAlias(deps.namespace), id: documentId('message', messageId) };
      const document = aDocument(found!.threadId, messageId);
      await deps.elasticsearch.index({ ...at, document, version: 1, version_type: 'external' });
      let isRecorded = false;
      // It is recorded and built just after the repair has seen that the document is as it was found.
      const mget = async (...asked: Parameters<Client['mget']>): Promise<unknown> => {
        const seen = await deps.elasticsearch.mget(...asked);
        if (!isRecorded) {
          isRecorded = true;
          await deps.collections.messages.insertOne(
            aMessage({ _id: messageId, threadId, content: 'It is said now', author: starter }),
          );
          await setMarks(deps, 'thread', [threadId]);
          await build(deps, threadId);
        }
        return seen;
      };
      const elasticsearch = Object.create(deps.elasticsearch, { mget: { value: mget } }) as Client;
      const meanwhile = { ...deps, elasticsearch };
      await verifyNow(meanwhile, { repair: true });
      expect(isRecorded).to.equal(true);
      const { _source } = await deps.elasticsearch.get<object>(at);
      expect(_source).to.include({ content: 'It is said now' });
      expect(await verifyNow(deps)).to.include({ clean: true });
    });
  }

  it('replaces all documents of a thread that must not be there in one request', async () => {
    const { threads } = await restingArchive(deps, stores, 2);
    const ghosts = threads.flatMap(({ threadId }) =>
      Array.from({ length: 20 }, () => ({ threadId, messageId: anId() })),
    );
    const index = searchAlias(deps.namespace);
    const operations = ghosts.flatMap(({ threadId, messageId }) => [
      { index: { _id: documentId('message', messageId), version: 1, version_type: 'external' } },
      aDocument(threadId, messageId),
    ]);
    await deps.elasticsearch.bulk({ index, operations });
    const sent: string[] = [];
    const bulk = (...asked: Parameters<Client['bulk']>): Promise<unknown> => {
      sent.push(JSON.stringify(asked));
      return deps.elasticsearch.bulk(...asked);
    };
    const elasticsearch = Object.create(deps.elasticsearch, { bulk: { value: bulk } }) as Client;
    const counted = { ...deps, ...createStoreAccess(stores.mongo, elasticsearch, deps) };
    const report = await verifyNow(counted, { repair: true });
    expect(report.counts).to.deep.equal({ 'search.shown': { found: 2, mended: 2 } });
    const removing = sent.filter((body) =>
      ghosts.some(({ messageId }) => body.includes(messageId)),
    );
    expect(removing).to.have.length.within(1, threads.length);
    expect(await verifyNow(deps)).to.include({ clean: true });
  });

  it('creates no search index where the alias is gone', async () => {
    await restingArchive(deps, stores, 2);
    const { indices } = deps.elasticsearch;
    const name = searchAlias(deps.namespace);
    await indices.deleteAlias({ index: '*', name });
    const failed = await verifyNow(deps).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(SearchIndexLost);
    expect(await indices.existsAlias({ name })).to.equal(false);
    await indices.delete({ index: searchIndexName(deps.namespace, 1) });
    expect(await verifyNow(deps).catch((error: unknown) => error)).to.be.instanceOf(
      SearchIndexLost,
    );
    expect(await indices.existsAlias({ name })).to.equal(false);
    const repair = await verifyNow(deps, { repair: true }).catch((error: unknown) => error);
    expect(repair).to.be.instanceOf(SearchIndexLost);
    await reindexSearch(deps, { rebuildId: (await enterRebuild(deps.collections)).id });
    expect(await verifyNow(deps)).to.deep.include({ differences: [], clean: true });
  });

  it('erases a person of whom the sync has still noted something', async () => {
    const { optOuts, sync } = deps.collections;
    const serverId = anId();
    const member = async () => ({ serverId, userId: await noteErased(deps.collections) });
    const [left, known, pictured] = [await member(), await member(), await member()];
    const idOf = ({ userId }: typeof left): string => memberId(serverId, userId);
    await optOuts.insertOne({ _id: idOf(left), ...left });
    const checkedAt = new Date();
    const asOf = 1;
    await sync.insertMany([
      { _id: idOf(known), kind: 'member', ...known, checkedAt, asOf },
      {
        _id: memberId(serverId, anId()),
        kind: 'member',
        serverId,
        userId: anId(),
        checkedAt,
        asOf,
      },
      {
        _id: fileRecordId(`avatars/${pictured.userId}`),
        kind: 'file',
        of: `user/${pictured.userId}`,
        source: 'https://cdn.discordapp.com/avatars/1/a.png',
      },
    ]);
    const kept = 'erased.kept' as const;
    expect((await verifyNow(deps)).counts[kept]).to.deep.equal({ found: 3, mended: 0 });
    const { counts, clean } = await verifyNow(deps, { repair: true });
    expect({ counts, clean }).to.deep.equal({
      counts: { [kept]: { found: 3, mended: 3 } },
      clean: true,
    });
    expect(await optOuts.countDocuments()).to.equal(0);
    expect(await sync.countDocuments({ kind: { $in: ['member', 'file'] } })).to.equal(1);
  });

  it('erases a person from messages whose thread is not recorded, and keeps those of others', async () => {
    const { messages } = deps.collections;
    const threadId = anId();
    const author = { ...anAuthor('eve'), id: await noteErased(deps.collections) };
    await messages.insertMany([aMessage({ threadId, author }), aMessage({ threadId })]);
    const kept = 'erased.kept' as const;
    expect((await verifyNow(deps)).counts[kept]).to.deep.equal({ found: 1, mended: 0 });
    const { counts } = await verifyNow(deps, { repair: true });
    expect(counts[kept]).to.deep.equal({ found: 1, mended: 1 });
    expect(counts['record.orphan']).to.deep.equal({ found: 1, mended: 0 });
    expect(await messages.countDocuments({ threadId, deleted: true })).to.equal(1);
    expect(await messages.countDocuments({ threadId, deleted: { $ne: true } })).to.equal(1);
  });
});
