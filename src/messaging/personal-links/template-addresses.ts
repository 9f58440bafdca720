import { createTextCache } from '../../lib/text-cache.ts';
import { rewriteAddresses, withScheme } from '../compose/links/links.ts';

/** Where a rendered address comes from: what all recipients have in common, and what is this one's. */
export interface PersonalAddress {
  /** Scheme and authority at least: nothing behind it can lead to another server. */
  prefix: string;
  /** As the template has it; what reports show. */
  shown: string;
  rest: string;
}

/** The addresses of one template. */
export interface TemplateAddresses {
  /** null: the address is the same in every mail, or none of the web. */
  personal(address: string): PersonalAddress | null;
}

const LIQUID = /\{\{|\{%/;
/** Up to where the authority ends. A backslash ends it too: browsers read it as a slash. */
const AUTHORITY = /^https?:\/\/[^/?#\\]+/i;
const WHOLE_AUTHORITY = /^https?:\/\/[^/?#\\]+[/?#]/i;

const known = createTextCache<TemplateAddresses>(500, 16_000_000);

/** Of HTML with Liquid in it, read once for all mails that are made from it. */
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
