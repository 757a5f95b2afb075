import type { Collection, Db } from 'mongodb';
import type { AuditRecord } from './audit.js';
import type { ApiKeyRecord, TokenFamily, UsedState } from './credentials.js';
import type { DeletionRecord } from './deletionRecord.js';
import type { ErasureRecord } from './erasureRecords.js';
import type { OptOutRecord } from './optOutRecord.js';
import type { Piece } from './pieces.js';
import type { ChannelRecord, MessageRecord, ServerRecord, ThreadRecord } from './records.js';
import type { StateRecord } from './state.js';
import type { SyncRecord } from './syncRecords.js';
import type {
  BodyView,
  ContributionView,
  ImportFileRecord,
  ImportRecord,
  MemberView,
  RankView,
  SimilarView,
  ThreadItemView,
} from './views.js';
import type { Mark } from './work.js';

/** Every collection of the archive, by name. */
export interface Collections {
  servers: Collection<ServerRecord>;
  channels: Collection<ChannelRecord>;
  threads: Collection<ThreadRecord>;
  messages: Collection<MessageRecord>;
  deletions: Collection<DeletionRecord>;
  erasures: Collection<ErasureRecord>;
  optOuts: Collection<OptOutRecord>;
  audit: Collection<AuditRecord>;
  bodies: Collection<BodyView>;
  pieces: Collection<Piece>;
  threadItems: Collection<ThreadItemView>;
  contributions: Collection<ContributionView>;
  members: Collection<MemberView>;
  ranks: Collection<RankView>;
  work: Collection<Mark>;
  similar: Collection<SimilarView>;
  state: Collection<StateRecord>;
  imports: Collection<ImportRecord>;
  importFiles: Collection<ImportFileRecord>;
  apiKeys: Collection<ApiKeyRecord>;
  refreshTokens: Collection<TokenFamily>;
  oauthStates: Collection<UsedState>;
  sync: Collection<SyncRecord>;
}

/** The collections of one database, typed. */
export function collectionsOf(db: Db): Collections {
  return {
    servers: db.collection('servers'),
    channels: db.collection('channels'),
    threads: db.collection('threads'),
    messages: db.collection('messages'),
    deletions: db.collection('deletions'),
    erasures: db.collection('erasures'),
    optOuts: db.collection('optOuts'),
    audit: db.collection('audit'),
    bodies: db.collection('bodies'),
    pieces: db.collection('pieces'),
    threadItems: db.collection('threadItems'),
    contributions: db.collection('contributions'),
    members: db.collection('members'),
    ranks: db.collection('ranks'),
    work: db.collection('work'),
    similar: db.collection('similar'),
    state: db.collection('state'),
    imports: db.collection('imports'),
    importFiles: db.collection('importFiles'),
    apiKeys: db.collection('apiKeys'),
    refreshTokens: db.collection('refreshTokens'),
    oauthStates: db.collection('oauthStates'),
    sync: db.collection('sync'),
  };
}
