import { parseUrl } from './parseUrl.js';

/** IP addresses, and host names that no site of the public web can have. */
const LOCAL_HOST = /^(?:[^.]+|(?:[^.]+\.)+(?:localhost|local|internal)|[\d.]+|\[[\da-f:.]+\])$/i;

/**
 * Whether a Host header names an IP address, or a name outside the public DNS. The owner of a site could make any other
 * name point to this machine, and so make their pages count as pages of this service (DNS rebinding).
 */
export function isLocalHost(host = ''): boolean {
  return LOCAL_HOST.test(parseUrl(`http://${host}`)?.hostname ?? '');
}
