import { isIPv6 } from 'node:net';

/**
 * What attempts are counted by: an IPv4 address, or the /64 of an IPv6 address, which is what one household or one machine
 * gets: its owner has 2^64 addresses to come from.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.split('%', 1)[0]!;
  if (!isIPv6(plain)) return address;
  const [front, back] = plain.split('::', 2) as [string, string | undefined];
  const groups = front === '' ? [] : front.split(':');
  const behind = back === undefined || back === '' ? 0 : back.split(':').length + (back.includes('.') ? 1 : 0);
  const zeros = back === undefined ? 0 : Math.max(0, 8 - groups.length - behind);
  const all = [...groups, ...new Array<string>(zeros).fill('0'), ...(back ? back.split(':') : [])];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
