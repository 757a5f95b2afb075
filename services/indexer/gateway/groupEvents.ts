import type { ThreadEvent } from './gatewayEvents.js';

/** An event of a thread, and the time it counts as of: when it was received. */
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
 * Puts events of one thread into few groups of one kind, each to be recorded at once, in this order. Events of
 * different messages do not depend on each other: so one may be recorded before another that came earlier. Those of
 * one message, and those of the thread itself, stay in order. Each of the latter tells the whole thread, so the last
 * one is enough; of a thread that is not recorded yet the first one, too, as what follows needs it.
 */
export function groupEvents(events: readonly TimedEvent[], isRecorded: boolean): TimedEvent[][] {
  const told = events.filter(({ event }) => event.kind === 'thread');
  const superseded = new Set(told.slice(isRecorded ? 0 : 1, -1));
  const groups: Group[] = [];
  for (const one of events) {
    if (superseded.has(one)) continue;
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

/** Whether what is told of some messages, or of the thread, has to be recorded after a group. */
function dependsOn(group: Group, ids: readonly string[] | null): boolean {
  return ids === null || isOfThread(group.kind) || ids.some((id) => group.messageIds.has(id));
}

function isOfThread(kind: ThreadEvent['kind']): boolean {
  return kind === 'thread' || kind === 'threadDeleted';
}

/** Null for an event of the thread itself. */
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
