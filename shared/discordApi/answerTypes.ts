import type {
  APIApplication,
  APIAttachment,
  APIEmbed,
  APIEmoji,
  APIGuild,
  APIGuildForumTag,
  APIMessage,
  APIMessageReference,
  APIOverwrite,
  APIPoll,
  APIReaction,
  APIRole,
  APIStickerItem,
  APIThreadMetadata,
  APIUser,
} from 'discord-api-types/v10';

/** The parts of the platform's answers that are used. All other parts are ignored. */

export type LiveUser = Pick<APIUser, 'id' | 'username' | 'avatar'> &
  Partial<Pick<APIUser, 'discriminator' | 'global_name' | 'bot'>>;

export type LiveRole = Pick<APIRole, 'id' | 'name' | 'permissions'>;

export type LiveGuild = Pick<APIGuild, 'id' | 'name'> &
  Partial<Pick<APIGuild, 'icon' | 'description' | 'owner_id'>> & {
    approximate_member_count?: number | null;
    nsfw_level?: number;
    roles: LiveRole[];
    /** Its custom emoji. */
    emojis?: Pick<APIEmoji, 'id' | 'name'>[];
  };

/** A channel of a server, of any type. The platform leaves out the fields that a type does not have. */
export interface LiveChannel {
  id: string;
  type: number;
  guild_id?: string;
  name?: string;
  topic?: string | null;
  position?: number;
  parent_id?: string | null;
  nsfw?: boolean;
  flags?: number;
  /** Null, like absent, says nothing. A forum without overwrites has an empty list. */
  permission_overwrites?: ({ type: number } & Pick<APIOverwrite, 'id' | 'allow' | 'deny'>)[] | null;
  available_tags?: (Pick<APIGuildForumTag, 'id' | 'name'> &
    Partial<Pick<APIGuildForumTag, 'moderated' | 'emoji_id' | 'emoji_name'>>)[];
}

export interface LiveThread {
  id: string;
  type: number;
  guild_id?: string;
  parent_id?: string | null;
  name: string;
  owner_id?: string | null;
  applied_tags?: string[];
  thread_metadata: Pick<APIThreadMetadata, 'archived'> &
    Partial<Pick<APIThreadMetadata, 'locked'>> & { archive_timestamp: string | null };
  flags?: number;
  message_count?: number;
  total_message_sent?: number;
  last_message_id?: string | null;
}

/** A channel or a thread. Its type tells which of the two it is. */
export interface LivePlace {
  id: string;
  guild_id: string;
  type: number;
}

/** A list of threads. A page of archived threads tells whether there are more; active threads all come at once. */
export interface LiveThreadList {
  threads: LiveThread[];
  unreadable: Unreadable;
  has_more?: boolean;
}

/** A picture or another file that a component shows. */
export interface LiveMedia {
  url: string;
  /** The id of the file, where it was sent with the message. Absent where it comes from elsewhere. */
  attachment_id?: string | null;
  content_type?: string | null;
  width?: number | null;
  height?: number | null;
}

/** A component, with the parts that hold text, media or other components. */
export interface LiveComponent {
  type: number;
  content?: string;
  /** What a thumbnail shows. */
  media?: LiveMedia;
  /** What `media` shows, in words. */
  description?: string | null;
  /** What a gallery shows. */
  items?: { media: LiveMedia; description?: string | null; spoiler?: boolean }[];
  /** The file of a file component, with its name and size (bytes). */
  file?: LiveMedia;
  name?: string | null;
  size?: number | null;
  /** Whether all of it is hidden until it is clicked on. */
  spoiler?: boolean;
  components?: LiveComponent[];
  accessory?: LiveComponent;
}

export type LiveAttachment = Pick<APIAttachment, 'id' | 'filename' | 'url'> &
  Partial<Pick<APIAttachment, 'content_type' | 'size'>> & {
    flags?: number;
    description?: string | null;
    width?: number | null;
    height?: number | null;
  };

/** What a forwarded message holds of the original. */
export interface LiveSnapshot {
  mentions?: (LiveUser & { member?: LiveMemberNamed })[];
  mention_roles?: string[];
  content?: string;
  timestamp?: string;
  edited_timestamp?: string | null;
  attachments?: LiveAttachment[];
  embeds?: APIEmbed[];
  sticker_items?: APIStickerItem[];
  components?: LiveComponent[];
}

/** Somebody as a member of the server. Only events tell it. */
export interface LiveMemberNamed {
  /** Null for none. */
  nick?: string | null;
  roles?: string[];
}

export interface LiveMessage extends LiveSnapshot {
  id: string;
  channel_id: string;
  type: number;
  author: LiveUser;
  member?: LiveMemberNamed;
  content: string;
  timestamp: string;
  edited_timestamp: string | null;
  pinned?: boolean;
  flags?: number;
  webhook_id?: string;
  application_id?: string;
  reactions?: Pick<APIReaction, 'count' | 'emoji'>[];
  message_reference?: { type?: number } & Partial<
    Pick<APIMessageReference, 'message_id' | 'channel_id' | 'guild_id'>
  >;
  message_snapshots?: { message: LiveSnapshot }[];
  poll?: Pick<APIPoll, 'question' | 'answers'> & Partial<Pick<APIPoll, 'results'>>;
  interaction_metadata?: { id: string; user?: LiveUser; name?: string };
  /** Deprecated. But no other field names the command. */
  interaction?: Pick<NonNullable<APIMessage['interaction']>, 'id' | 'name'> & { user?: LiveUser };
}

export type LiveApplication = Pick<APIApplication, 'id'> & { name?: string; flags?: number };

/** Attachment links that were signed now; null where a link has no attachment. */
export interface LiveRefreshedUrls {
  refreshed_urls: { original: string; refreshed: string | null }[];
}

export interface LiveMember {
  roles: string[];
  user?: { id: string };
}

/** Where the gateway is, and how often a session may still be started. */
export interface LiveGateway {
  url: string;
  session_start_limit: {
    total: number;
    remaining: number;
    /** Milliseconds. */
    reset_after: number;
  };
}

/** Parts of an answer whose form is not known here, and what is wrong with each. */
export type Unreadable = { id: string; reason: string }[];

/** A page of messages. */
export interface LivePage {
  messages: LiveMessage[];
  unreadable: Unreadable;
}
