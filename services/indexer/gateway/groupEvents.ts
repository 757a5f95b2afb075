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
 * in order with all others.
 */
export function groupEvents(events: readonly TimedEvent[]): TimedEvent[][] {
  const groups: Group[] = [];
  for (const one of events) {
    const { kind } = one.event;
    const ids = messageIdsOf(one.event);
    const last = groups.findLast((group) => group.kind === kind || dependsOn(group, ids));
    const group = last?.kind === kind ? last : newGroup(kind, groups);
    group.events.push(one);
    for (const id of ids ?? []) group.messageIds.add(id);
  }
  return groups.map((group) => group.events);
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
  return kind === 'thread' || kind === 'threadDeleted';
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
      return null;
  }
}
