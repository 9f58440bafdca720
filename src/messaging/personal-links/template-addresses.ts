import { createTextCache } from '../../lib/text-cache.ts';
import { rewriteAddresses, withScheme } from '../compose/links/links.ts';

/** The origin of a rendered address: the part common to all recipients and the part specific to this one. */
export interface PersonalAddress {
  /** At least scheme and authority, so that nothing after it can lead to another server. */
  prefix: string;
  /** As written in the template; shown in reports. */
  shown: string;
  rest: string;
}

/** The addresses of one template. */
export interface TemplateAddresses {
  /** null: the address is the same in every mail, or not a web address. */
  personal(address: string): PersonalAddress | null;
}

const LIQUID = /\{\{|\{%/;
/** Everything up to the end of the authority. A backslash ends it too: browsers treat it as a slash. */
const AUTHORITY = /^https?:\/\/[^/?#\\]+/i;
const WHOLE_AUTHORITY = /^https?:\/\/[^/?#\\]+[/?#]/i;

const known = createTextCache<TemplateAddresses>(500, 16_000_000);

/** Parses the HTML with its Liquid once for all mails rendered from it. */
export function addressesOf(template: string): TemplateAddresses {
  let addresses = known.get(template);
  if (addresses === undefined) {
    addresses = readAddresses(template);
    known.set(template, addresses, { size: template.length + 1_000 });
  }
  return addresses;
}

function readAddresses(template: string): TemplateAddresses {
  const fixed = new Set<string>();
  const patterns = new Map<string, string>();
  const whole = new Set<string>();
  rewriteAddresses(template, (written) => {
    const address = withScheme(written);
    const at = address.search(LIQUID);
    if (at < 0) fixed.add(address);
    else if (WHOLE_AUTHORITY.test(address.slice(0, at))) patterns.set(address.slice(0, at), address);
    else if (at === 0) whole.add(address);
    return null;
  });
  const prefixes = [...patterns.keys()].sort((one, other) => other.length - one.length);
  const [only] = whole.size === 1 ? whole : ['/…'];
  return {
    personal(address) {
      if (fixed.has(address)) return null;
      const authority = AUTHORITY.exec(address)?.[0];
      if (authority === undefined) return null;
      const found = prefixes.find((prefix) => address.startsWith(prefix));
      const prefix = found ?? authority;
      const shown = found === undefined ? `${authority}${only}` : patterns.get(found)!;
      return { prefix, shown, rest: address.slice(prefix.length) };
    },
  };
}
