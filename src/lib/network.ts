import { isIPv6 } from 'node:net';

/**
 * Returns the network by which clients are counted: an IPv4 address unchanged, an IPv4-mapped one as IPv4, and of IPv6 the /64
 * (`2001:db8:0:0::/64`), since one household or machine usually gets all of it. Other texts are returned unchanged.
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
