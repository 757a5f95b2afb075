import type { GatewayControls } from '../../support/discord/types.js';
import type { Random } from '../random.js';

/** Disturbances of the connection and its events. */
const TROUBLES: Record<string, (gateway: GatewayControls, random: Random) => void> = {
  cut: (gateway) => gateway.cut(),
  'op 7': (gateway) => gateway.requestReconnect(),
  'op 9, resumable': (gateway) => gateway.invalidate(true),
  'op 9': (gateway) => gateway.invalidate(false),
  forget: (gateway) => gateway.forgetSessions(),
  close: (gateway, random) => gateway.close(random.pick([1000, 4000, 4007, 4009])),
  freeze: (gateway) => gateway.freeze(true),
  late: (gateway) => gateway.hold(),
  twice: (gateway) => void (gateway.copies = 2),
  once: (gateway) => void (gateway.copies = 1),
  'starter first': (gateway) => void (gateway.starterFirst = true),
  'thread first': (gateway) => void (gateway.starterFirst = false),
};

/** Causes a random disturbance of the gateway, after ending what stood still. Returns its name. */
export function disturbGateway(gateway: GatewayControls, random: Random): string {
  goOn(gateway);
  const name = random.pick(Object.keys(TROUBLES));
  TROUBLES[name]!(gateway, random);
  return name;
}

/** Ends all disturbances, and sends the events that were kept back. */
export function calmGateway(gateway: GatewayControls): void {
  goOn(gateway);
  gateway.copies = 1;
}

function goOn(gateway: GatewayControls): void {
  gateway.freeze(false);
  gateway.release();
}
