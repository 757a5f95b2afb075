import proxyAddr from 'proxy-addr';

/**
 * Whose X-Forwarded-For is believed: nobody's, that of so many proxies in a row, or that of these addresses and
 * networks.
 */
export type TrustedProxies = false | number | string[];

const MOST_HOPS = 10;

/** Reads TRUST_PROXY. The message of what it throws follows the variable's name. */
export function readTrustedProxies(text: string): TrustedProxies {
  if (text === 'false') return false;
  if (text === 'true') {
    throw new TypeError(
      'is no longer taken as true, which let a client choose its address: set how many proxies stand before the API (1, say), or their addresses',
    );
  }
  if (/^\d+$/.test(text)) return readHops(text);
  const parts = text.split(',').map((part) => part.trim());
  const wrong = parts.filter((part) => !isNetwork(part));
  if (wrong.length === 0) return parts;
  throw new TypeError(
    `must be false, a number of proxies, or their addresses and networks, comma separated; these are none: ${wrong.map((part) => `"${part}"`).join(', ')}`,
  );
}

function readHops(text: string): number {
  const hops = Number(text);
  if (hops >= 1 && hops <= MOST_HOPS) return hops;
  throw new TypeError(`must be 1 to ${MOST_HOPS} as a number of proxies`);
}

/** Whether this is an address, a network as 10.0.0.0/8, or a name for some: loopback, linklocal, uniquelocal. */
function isNetwork(text: string): boolean {
  try {
    proxyAddr.compile(text);
    return true;
  } catch {
    return false;
  }
}
