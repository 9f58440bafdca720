import type { KeyObject } from 'node:crypto';
import type { Queryable } from '../../db/pool.ts';
import { linkName } from '../consent/tokens.ts';
import { linkTo } from '../personal-links/new-links.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { type NewLink, upsertLinks } from './content/content-queries.ts';
import { schemeOf, withScheme } from './links/links.ts';

export interface LinkTracker {
  /** Returns the names of addresses that are the same in every mail. */
  namesOf(company: SendingCompany, urls: readonly string[]): Promise<[url: string, name: string][]>;
  /** Returns the names of links by their hashes in hexadecimal. */
  namesBehind(company: SendingCompany, links: readonly NewLink[]): Promise<[hash: string, name: string][]>;
}

const ALLOWED = new Set(['http', 'https', 'mailto', 'tel', 'sms', '']);
const MAX_URL = 8_000;

/** Returns the names that replace addresses in mails. The composing threads cache them, since a name never changes. */
export function createLinkTracker({ db, tokenKey }: { db: Queryable; tokenKey: KeyObject }): LinkTracker {
  async function namesBehind(
    { companyId }: SendingCompany,
    links: readonly NewLink[],
  ): Promise<[hash: string, name: string][]> {
    const rows = await upsertLinks(db, companyId, [...links]);
    return rows.map(({ hash, id }) => [hash, linkName(tokenKey, companyId, id)]);
  }

  return {
    namesBehind,
    async namesOf(company, urls) {
      const links = urls.map(linkTo);
      const names = new Map(await namesBehind(company, links));
      return links.map(({ url, hash }) => [url, names.get(hash.toString('hex'))!]);
    },
  };
}

/** How the links of one mail are tracked. */
export interface Tracking {
  /** Base URL of the public pages, without a trailing slash. */
  base: string;
  /** The token of this mail. */
  token: string;
  clicks: boolean;
  opens: boolean;
  /** Returns the name that replaces an address in links, if it is known. */
  nameOf(address: string): string | undefined;
}

/**
 * Returns the replacement of an address in a mail; null leaves it unchanged. An address without a known name is added to `unknown` and
 * left. One with a scheme that no mail program should follow becomes `#`.
 */
export function trackedAddress(
  written: string,
  followed: boolean,
  { base, token, clicks, nameOf }: Tracking,
  unknown: Set<string>,
): string | null {
  const address = withScheme(written);
  const untracked = address === written ? null : address;
  const scheme = schemeOf(address);
  if (!ALLOWED.has(scheme)) return '#';
  if (!followed || !clicks || !scheme.startsWith('http')) return untracked;
  if (address.length > MAX_URL || address.startsWith(`${base}/u/`)) return untracked;
  const name = nameOf(address);
  if (name !== undefined) return `${base}/t/c/${token}/${name}`;
  if (URL.canParse(address)) unknown.add(address);
  return untracked;
}

/** Returns the image that reports an open. */
export function pixelOf({ base, token }: Tracking): string {
  return `<img src="${base}/t/o/${token}" width="1" height="1" alt="" style="display:block;border:0">`;
}

/** The footer of a marketing mail that has no other unsubscribe link. */
export function footerOf(unsubscribeUrl: string): string {
  return `<p style="font:12px sans-serif;color:#666;text-align:center"><a href="${unsubscribeUrl}">Unsubscribe</a></p>`;
}
