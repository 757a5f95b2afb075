import type { Message } from '../model/entities.js';
import { lowerBound } from '../model/state.js';
import { isForum } from '../model/threadOperations.js';
import { presentMessage } from '../present/presentMessage.js';
import { isoOf } from '../present/times.js';
import {
  idOf,
  momentOf,
  numberOf,
  placeOf,
  readsHistory,
  type Call,
  type Handler,
} from './call.js';
import { invalidForm, missingAccess, unknownMessage, wrongKind } from './restError.js';

/** A page of messages, always newest first. It is empty without the permission to read the history. */
export const listMessages: Handler = (call) => {
  const channelId = messagesPlace(call);
  const limit = numberOf(call, 'limit', { least: 1, most: 100, usual: 50 });
  const names = ['around', 'before', 'after'] as const;
  const given = names.flatMap((name) => {
    const id = idOf(call, name);
    return id === undefined ? [] : [{ name, id }];
  });
  if (given.length > 1) {
    const message = 'Only one of before, after and around may be set.';
    throw invalidForm(given[1]!.name, 'BASE_TYPE_CONFLICT', message);
  }
  if (!readsHistory(call, channelId)) return [];
  const page = pageOf(call.model.messagesOf(channelId), limit, given[0]);
  return page.toReversed().map((message) => presentMessage(call, message));
};

/** One message. */
export const getMessage: Handler = (call) => {
  const channelId = messagesPlace(call);
  if (!readsHistory(call, channelId)) throw missingAccess();
  const message = call.model.findMessage(channelId, call.ids[1]!);
  if (!message) throw unknownMessage();
  return presentMessage(call, message);
};

/** A page of pinned messages, last pinned first. */
export const listPins: Handler = (call) => {
  const channelId = messagesPlace(call);
  const limit = numberOf(call, 'limit', { least: 1, most: 50, usual: 50 });
  const before = momentOf(call, 'before') ?? Infinity;
  const pinned = call.model
    .messagesOf(channelId)
    .flatMap((message) => (message.pinnedAt === null ? [] : { message, at: message.pinnedAt }))
    .filter(({ at }) => at * 1000 < before && readsHistory(call, channelId))
    .sort((left, right) => right.at - left.at);
  return {
    items: pinned.slice(0, limit).map(({ message, at }) => ({
      pinned_at: isoOf(at),
      message: presentMessage(call, message),
    })),
    has_more: pinned.length > limit,
  };
};

function messagesPlace(call: Call): string {
  const place = placeOf(call);
  if (!('ownerId' in place) && isForum(place)) throw wrongKind();
  return place.id;
}

/** A part of a list of messages, oldest first. */
function pageOf(
  messages: readonly Message[],
  limit: number,
  at?: { name: 'around' | 'before' | 'after'; id: string },
): readonly Message[] {
  if (!at) return messages.slice(-limit);
  const index = lowerBound(messages, at.id);
  const isThere = messages[index]?.id === at.id;
  if (at.name === 'before') return messages.slice(Math.max(0, index - limit), index);
  if (at.name === 'after') return messages.slice(index + (isThere ? 1 : 0)).slice(0, limit);
  const from = Math.max(0, index - Math.floor(limit / 2));
  return messages.slice(from, from + limit);
}
