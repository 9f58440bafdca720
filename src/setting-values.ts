import { isIP, isIPv4, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { normaliseDomain } from './lib/addresses.ts';

/** Parsers of single settings. Each throws an Error that names the setting and what it accepts. */

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (!(allowed as readonly string[]).includes(value)) {
    throw new Error(`${name} is ${JSON.stringify(value)}; it takes ${allowed.join(', ')}`);
  }
  return value as T;
}

/** An IP address or a name: the host of a web address. */
export function hostOf(value: string): string {
  const name = /^[A-Za-z0-9._-]*$/.test(value) ? value : '';
  if (!URL.canParse(`http://${isIPv6(value) ? `[${value}]` : name}:80`)) {
    throw new Error(`HOST is ${value || 'empty'}; it takes an IP address or a name`);
  }
  return value;
}

export function portOf(value: string | number, name = 'PORT'): number {
  const port = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`${name} is ${value || 'empty'}; it takes 0 to 65535`);
  return port;
}

export function optionalPort(name: string, value: string | null): number | null {
  return value === null ? null : portOf(value, name);
}

export function pathOf(value: string | null): string | null {
  return value === null ? null : resolve(value);
}

export function listOf(value: string | null): string[] {
  return (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** A name without port, as in the Host header; a leading `*.` matches one or more labels. */
export function publicHost(value: string): string {
  const name = value.toLowerCase();
  if (!isIPv6(name) && !/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) {
    throw new Error(`TRADELOOM_HOSTS names ${JSON.stringify(value)}; it takes host names without scheme and port`);
  }
  return name;
}

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** An address, a network by its prefix or mask, or the name of one, in its usual spelling, as Fastify's `trustProxy` takes it. */
export function proxyOf(value: string): string {
  const [, address = '', range = null] = /^([^/]+)(?:\/(.+))?$/.exec(value) ?? [];
  const family = value.includes('%') ? 0 : isIP(address);
  const isNetwork = range === null || (family === 4 && isMask(range)) || isPrefix(range, family === 4 ? 32 : 128);
  if (!NETWORKS.includes(value) && (family === 0 || value.endsWith('/') || !isNetwork)) {
    throw new Error(
      `TRADELOOM_TRUSTED_PROXIES names ${JSON.stringify(value)}; it takes IP addresses, networks such as 10.0.0.0/8, loopback, linklocal and uniquelocal`,
    );
  }
  return value;
}

function isPrefix(text: string, max: number): boolean {
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) <= max;
}

/** Ones, then zeros, such as 255.255.0.0. */
function isMask(text: string): boolean {
  const bits = text.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  return isIPv4(text) && /^1+0*$/.test(bits.join(''));
}

/** One line that RFC 9116 allows as a Contact: an address with its scheme, web pages only by https. */
export function contactOf(value: string | null): string | null {
  if (value === null) return null;
  const forms = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d.()-]+)$/;
  if (!forms.test(value) || !URL.canParse(value)) {
    throw new Error('TRADELOOM_SECURITY_CONTACT must be an address that starts with mailto:, https:// or tel:');
  }
  return value;
}

export function urlOf(name: string, value: string | null, protocols: string[]): string | null {
  if (value === null) return null;
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new Error(`${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }
  return value;
}

/** An address on this machine, where secrets may be sent that are meant for a service. */
export function loopbackUrlOf(name: string, value: string | null): string | null {
  if (value === null) return null;
  const { protocol, hostname } = URL.canParse(value) ? new URL(value) : { protocol: '', hostname: '' };
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (!isLoopback || !['http:', 'https:'].includes(protocol)) {
    throw new Error(`${name} must be an address on this machine, such as http://127.0.0.1:4010`);
  }
  return value;
}

/** A share of 1, from a percentage. */
export function percentOf(name: string, value: string): number {
  const percent = /^\d{1,3}(?:\.\d{1,4})?$/.test(value) ? Number(value) : Number.NaN;
  if (!(percent > 0 && percent <= 100))
    throw new Error(`${name} is ${JSON.stringify(value)}; it takes percent, above 0 to 100`);
  return Number((percent / 100).toPrecision(10));
}

export function wholeNumberOf(name: string, value: string): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= 1)) throw new Error(`${name} is ${JSON.stringify(value)}; it takes a whole number from 1`);
  return number;
}

export function domainOf(name: string, value: string | null): string | null {
  if (value === null) return null;
  // Names of SPF records often begin with an underscore, which host names do not allow.
  const labels = value.toLowerCase().replace(/\.$/, '').split('.');
  const domain = normaliseDomain(labels.map((label) => label.replace(/^_/, '')).join('.'));
  if (domain === null) throw new Error(`${name} is ${JSON.stringify(value)}; it takes the name of a domain`);
  return labels.join('.');
}

/** `address` or `address:port`; an IPv6 address with a port is in brackets. */
export function dnsServerOf(value: string): string {
  const address =
    /^\[(.+)\](?::\d{1,5})?$/.exec(value)?.[1] ?? (isIPv6(value) ? value : value.replace(/:\d{1,5}$/, ''));
  if (isIP(address) === 0)
    throw new Error(`TRADELOOM_DNS_SERVERS names ${JSON.stringify(value)}; it takes IP addresses`);
  return value;
}

/** Numbers by domain: `gmail.com=2000,yahoo.com=1000`. */
export function domainLimitsOf(name: string, value: string | null): Record<string, number> {
  return Object.fromEntries(
    listOf(value).map((entry) => {
      const [, given = '', number = ''] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
      const domain = normaliseDomain(given.trim());
      if (domain === null)
        throw new Error(`${name} is ${JSON.stringify(entry)}; it takes domains with numbers: gmail.com=2000`);
      return [domain, wholeNumberOf(name, number.trim())];
    }),
  );
}
