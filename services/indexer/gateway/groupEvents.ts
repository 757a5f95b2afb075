import type { ThreadEvent } from './gatewayEvents.js';

/** An event of a thread, and the time that it is recorded with: when it was received. */
export interface TimedEvent<Kind extends ThreadEvent['kind'] = ThreadEvent['kind']> {
  event: Extract<ThreadEvent, { kind: Kind }>;
  asOf: number;
}

interface Group {
  kind: ThreadEvent['kind'];
  events: TimedEvent[];
  messageIds: Set<string>;
}

/**
 * Puts the events of one thread into few groups. Each group has events of one kind, and is recorded at once. The groups
 * are recorded in the returned order. Events of different messages do not depend on each other, so one of them may be
 * recorded before another that came earlier. Events of the same message stay in order. Events of the thread itself stay
 * in order with all others. What a later event deletes is left out.
 */
export function groupEvents(events: readonly TimedEvent[]): TimedEvent[][] {
  const groups: Group[] = [];
  for (const one of withoutDeleted(events)) {
    const { kind } = one.event;
    const ids = messageIdsOf(one.event);
    const last = groups.findLast((group) => group.kind === kind || dependsOn(group, ids));
    const group = last?.kind === kind ? last : newGroup(kind, groups);
    group.events.push(one);
    for (const id of ids ?? []) group.messageIds.add(id);
  }
  return groups.map((group) => group.events);
}

/**
 * Leaves out what is told of a message or thread before it is deleted. It may have been said and deleted in a private
 * forum. Meanwhile the forum became public, so it would be shown until the deletion is recorded.
 */
function withoutDeleted(events: readonly TimedEvent[]): TimedEvent[] {
  const deletedIds = new Set<string>();
  const left: TimedEvent[] = [];
  for (const one of [...events].reverse()) {
    const { event } = one;
    const ids = messageIdsOf(event);
    if (event.kind === 'messagesDeleted') for (const id of event.messageIds) deletedIds.add(id);
    else if (ids?.some((id) => deletedIds.has(id))) continue;
    left.push(one);
    if (event.kind === 'threadDeleted') break;
  }
  return left.reverse();
}

function newGroup(kind: Group['kind'], groups: Group[]): Group {
  const group = { kind, events: [], messageIds: new Set<string>() };
  groups.push(group);
  return group;
}

/**
 * Whether an event must be recorded after a group. `ids` are the messages of the event; null for an event of the
 * thread.
 */
function dependsOn(group: Group, ids: readonly string[] | null): boolean {
  return ids === null || isOfThread(group.kind) || ids.some((id) => group.messageIds.has(id));
}

function isOfThread(kind: ThreadEvent['kind']): boolean {
  return kind === 'thread' || kind === 'threadDeleted' || kind === 'missed';
}

/** The messages that an event tells of; null for an event of the thread itself. */
function messageIdsOf(event: ThreadEvent): readonly string[] | null {
  switch (event.kind) {
    case 'message':
      return [event.message.id];
    case 'messagesDeleted':
      return event.messageIds;
    case 'reacted':
    case 'changed':
      return [event.messageId];
    case 'thread':
    case 'threadDeleted':
    case 'missed':
      return null;
  }
}
