import type { Server } from 'node:http';
import {
  GatewayCloseCodes as Close,
  GatewayDispatchEvents as Event,
  GatewayIntentBits as Intent,
  GatewayOpcodes as Op,
  type GatewayReadyDispatchData,
} from 'discord-api-types/v10';
import { WebSocketServer } from 'ws';
import { createRandom } from '../../../faults/random.js';
import { guildIdOf, type Change } from '../model/changes.js';
import type { DiscordModel } from '../model/model.js';
import type { Links } from '../present/links.js';
import { presentUser } from '../present/presentUser.js';
import { applicationFlags } from '../rest/me.js';
import type { Settings } from '../settings.js';
import type { GatewayCommand, GatewayControls } from '../types.js';
import { createAccess } from './access.js';
import { serveClient, type GatewayClient, type GatewayHost } from './client.js';
import { eventsOf, guildCreated } from './events.js';
import type { Audience } from './outgoing.js';
import { createSession, type Session } from './session.js';

/** What the gateway needs. */
export interface GatewayDeps {
  server: Server;
  model: DiscordModel;
  links: Links;
  settings: Settings;
  /** The base of the gateway's addresses. */
  url: string;
  token: () => string;
  resetToken: () => void;
}

/** The gateway, with the controls for tests. */
export interface Gateway extends GatewayControls {
  end(): void;
}

/** After one of these close codes, a client has to identify again. */
const ENDING: number[] = [1000, 1001, Close.AuthenticationFailed, Close.InvalidSeq, 4009];

/** Serves the gateway at its addresses on an HTTP server. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { server, model, links, settings } = deps;
  const sessions = new Map<string, Session>();
  const clients = new Set<GatewayClient>();
  const access = createAccess(model);
  let held: (() => void)[] | null = null;
  let isFrozen = false;
  let lastIdentify = -Infinity;

  const audienceOf = ({ intents }: { intents: number }): Audience => ({
    model,
    links,
    access,
    starterFirst: controls.starterFirst,
    seesContent: settings.messageContent && (intents & Intent.MessageContent) !== 0,
  });
  const tell = (session: Session, t: Event, d: unknown): void => {
    for (let copy = 0; copy < controls.copies; copy += 1) session.dispatch(t, d);
  };
  const onChange = (change: Change): void => {
    const moved = access.follow();
    if (!isTold(model, change)) return;
    for (const session of sessions.values()) {
      for (const { t, d, intent } of eventsOf(audienceOf(session), change, moved)) {
        if (intent !== 0 && !(session.intents & intent)) continue;
        if (held) held.push(() => tell(session, t, d));
        else tell(session, t, d);
      }
    }
  };
  const end = (session: Session): void => void sessions.delete(session.id);

  const host: GatewayHost = {
    heartbeatMs: settings.heartbeatMs,
    get forbiddenIntents() {
      return (
        (settings.messageContent ? 0 : Intent.MessageContent) |
        (settings.guildMembers ? 0 : Intent.GuildMembers) |
        Intent.GuildPresences
      );
    },
    token: deps.token,
    get refuseWith() {
      return controls.refuseWith;
    },
    get ignoresSessions() {
      return controls.ignoresSessions;
    },
    record: (command) => void controls.commands.push(command),
    countIdentify() {
      controls.identifiesLeft -= 1;
      if (controls.identifiesLeft < 0) deps.resetToken();
      const isTooSoon = performance.now() - lastIdentify < settings.identifySpacingMs;
      if (!isTooSoon) lastIdentify = performance.now();
      return !isTooSoon && controls.identifiesLeft >= 0;
    },
    start(intents, connection) {
      const session = createSession(intents, settings);
      sessions.set(session.id, session);
      session.attach(connection);
      session.dispatch(Event.Ready, readyOf(deps, session.id));
      if (intents & Intent.Guilds) {
        for (const guild of model.guilds.values()) {
          if (guild.isUnavailable || !guild.members.has(model.bot.id)) continue;
          const { t, d } = guildCreated(audienceOf(session), guild);
          session.dispatch(t, d);
        }
      }
      return session;
    },
    find: (sessionId) => sessions.get(sessionId),
    end,
  };

  const sockets = new WebSocketServer({ noServer: true });
  let opened = 0;
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://double');
    const place = pathname.startsWith('/resume') ? 'resume' : 'gateway';
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const client = serveClient(host, webSocket, { place, query });
      client.connection.freeze(isFrozen);
      clients.add(client);
      opened += 1;
      webSocket.on('close', () => clients.delete(client));
    });
  });
  const stop = model.onChange(onChange);

  const controls: Gateway = {
    get connections() {
      return clients.size;
    },
    get opened() {
      return opened;
    },
    lastEventOf: (sessionId) => sessions.get(sessionId)?.seq ?? null,
    commands: [] as GatewayCommand[],
    identifiesLeft: settings.identifiesPerDay,
    copies: 1,
    starterFirst: false,
    refuseWith: null,
    ignoresSessions: false,
    close(code, reason = '') {
      for (const { connection, session } of [...clients]) {
        if (session && ENDING.includes(code)) end(session);
        connection.close(code, reason);
      }
    },
    cut: () => clients.forEach(({ connection }) => connection.cut()),
    requestReconnect() {
      for (const { connection } of clients) connection.signal(Op.Reconnect, null);
    },
    invalidate(isResumable) {
      for (const { connection, session } of clients) {
        if (session && !isResumable) end(session);
        connection.signal(Op.InvalidSession, isResumable);
      }
    },
    forgetSessions: () => sessions.clear(),
    freeze(freezes) {
      isFrozen = freezes;
      for (const { connection } of clients) connection.freeze(freezes);
    },
    hold: () => void (held ??= []),
    release(order = 'inOrder') {
      const kept = held ?? [];
      held = null;
      if (order === 'reversed') kept.reverse();
      for (const send of order === 'shuffled' ? createRandom(settings.seed).shuffle(kept) : kept)
        send();
    },
    end() {
      stop();
      controls.cut();
      sockets.close();
    },
  };
  return controls;
}

/** Whether the bot is told of a change: not during an outage of the guild, nor while the bot is not in it. */
function isTold({ guilds, bot }: DiscordModel, change: Change): boolean {
  const guild = guilds.get(guildIdOf(change));
  if (!guild || change.kind === 'guildDeleted') return true;
  if (!guild.members.has(bot.id)) return false;
  return change.kind === 'guildAvailability' || !guild.isUnavailable;
}

function readyOf(
  { model, settings, url }: GatewayDeps,
  sessionId: string,
): GatewayReadyDispatchData {
  const flags = applicationFlags(settings);
  return {
    v: 10,
    user: presentUser(model.bot),
    session_id: sessionId,
    guilds: [...model.guilds.values()]
      .filter(({ members }) => members.has(model.bot.id))
      .map(({ id }) => ({ id, unavailable: true })),
    resume_gateway_url: `${url}/resume`,
    shard: [0, 1],
    application: { id: model.bot.id, flags, flags_new: String(flags) },
  };
}
