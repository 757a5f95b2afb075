import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';

/**
 * The proxies whose X-Forwarded-For is believed: none (false), so many proxies in a row (a number), or the proxies with
 * these addresses or in these networks (a list).
 */
export type TrustedProxies = false | number | string[];

const MOST_HOPS = 10;

/** Reads the setting TRUST_PROXY. The message that it throws follows the name of the variable. */
export function readTrustedProxies(text: string): TrustedProxies {
  if (text === 'false') return false;
  if (text === 'true') {
    throw new TypeError(
      'must not be true any more, because that lets a client choose its address: set the number of proxies in front of the API, such as 1, or their addresses',
    );
  }
  if (/^\d+$/.test(text)) return readHops(text);
  const parts = text.split(',').map((part) => part.trim());
  const wrong = parts.filter((part) => !isNetwork(part));
  if (wrong.length === 0) return parts;
  throw new TypeError(
    `must be false, a number of proxies, or their addresses and networks, comma separated; these are neither: ${wrong.map((part) => `"${part}"`).join(', ')}`,
  );
}

function readHops(text: string): number {
  const hops = Number(text);
  if (hops >= 1 && hops <= MOST_HOPS) return hops;
  throw new TypeError(`must be 1 to ${MOST_HOPS} as a number of proxies`);
}

const NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Whether a text is an address, a network such as 10.0.0.0/8, or a name of networks: loopback, linklocal, uniquelocal.
 */
function isNetwork(text: string): boolean {
  // The library also takes old forms of an address: `1` is 0.0.0.1, and 010.0.0.1 is 8.0.0.1.
  if (!NAMES.includes(text) && isIP(text.replace(/\/.*$/, '')) === 0) return false;
  try {
    proxyAddr.compile(text);
    return true;
  } catch {
    return false;
  }
}
