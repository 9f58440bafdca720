import { createHash, type KeyObject } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { type NewLink, upsertLinks } from './content-queries.ts';
import { insertAtEnd, rewriteAddresses, schemeOf } from './links.ts';
import { LruCache } from './lru.ts';
import { LONGEST_REST, writeRest } from './personal-links/rest.ts';
import { addressesOf, type PersonalAddress } from './personal-links/template-addresses.ts';
import type { SendingCompany } from './settings.ts';
import { linkName, readLinkName, signToken } from './tokens.ts';

/** One rendered mail. Without `track` its links lead straight to where they say. */
export interface TrackedPage {
  messageId: number;
  html: string;
  /** What it was rendered from: of addresses that differ by recipient, what all have in common. */
  template: string;
  track: boolean;
}

export interface LinkTracker {
  /** The names of addresses, for those who track by themselves. */
  namesOf(company: SendingCompany, urls: readonly string[]): Promise<[url: string, name: string][]>;
  /** The mails with links that lead through the redirect, and the open pixel, as far as the company wants them. */
  track(company: SendingCompany, pages: TrackedPage[]): Promise<string[]>;
}

const ALLOWED = new Set(['http', 'https', 'mailto', 'tel', 'sms', '']);
const MAX_URL = 8_000;

/** `origin` without a slash at the end. Names of addresses never change, so they are kept. */
export function createLinkTracker(deps: { db: Queryable; tokenKey: KeyObject; origin: () => string }): LinkTracker {
  const { db, tokenKey, origin } = deps;
  const names = new LruCache<string>(20_000, 8_000_000);

  async function learn(company: SendingCompany, links: readonly NewLink[]): Promise<Map<string, string>> {
    const rows = await upsertLinks(db, company.companyId, [...links]);
    const urlOf = new Map(links.map(({ url, hash }) => [hash.toString('hex'), url]));
    return new Map(
      rows.map(({ hash, id }) => {
        const name = linkName(tokenKey, company.companyId, id);
        names.set(`${company.companyId} ${hash}`, name, urlOf.get(hash)!.length + 140);
        return [hash, name];
      }),
    );
  }

  /** What stands for the address in the mail's links, where that is known; notes the link that is wanted otherwise. */
  function nameFor(company: SendingCompany, page: TrackedPage, address: string, wanted: Map<string, NewLink>) {
    const { companyId } = company;
    const personal = addressesOf(page.template).personal(address);
    const link = personal === null ? linkTo(address) : linkBehind(personal);
    const key = link.hash.toString('hex');
    const name = names.get(`${companyId} ${key}`);
    if (name === undefined) wanted.set(key, link);
    if (name === undefined || personal === null || personal.rest === '') return name;
    const owner = { companyId, messageId: page.messageId, linkId: readLinkName(tokenKey, companyId, name)! };
    return `${name}/${writeRest(tokenKey, owner, personal.rest)}`;
  }

  function rewrite(company: SendingCompany, page: TrackedPage, base: string, wanted: Map<string, NewLink>): string {
    const { companyId, track_clicks, track_opens } = company;
    const token = signToken(tokenKey, 'message', { companyId, subject: page.messageId, detail: 0 });
    const tracking: Tracking = {
      base,
      token,
      clicks: track_clicks && page.track,
      opens: track_opens && page.track,
      nameOf: (address) => (isTrackable(address, page) ? nameFor(company, page, address, wanted) : undefined),
    };
    const html = rewriteAddresses(page.html, (address, followed) =>
      trackedAddress(address, followed, tracking, new Set()),
    );
    return tracking.opens ? insertAtEnd(html, pixelOf(tracking)) : html;
  }

  return {
    async namesOf(company, urls) {
      const links = urls.map(linkTo);
      const learnt = await learn(company, links);
      return links.map(({ url, hash }) => [url, learnt.get(hash.toString('hex'))!]);
    },
    async track(company, pages) {
      const base = origin();
      const wanted = new Map<string, NewLink>();
      const first = pages.map((page) => {
        const before = wanted.size;
        const html = rewrite(company, page, base, wanted);
        return wanted.size === before && before === 0 ? html : null;
      });
      if (wanted.size === 0) return first.map((html) => html!);
      await learn(company, [...wanted.values()]);
      const still = new Map<string, NewLink>();
      // An address that fell out of the memory between the two lines is left as it is: the mail works, uncounted.
      return pages.map((page, i) => first[i] ?? rewrite(company, page, base, still));
    },
  };
}

function isTrackable(address: string, { template }: TrackedPage): boolean {
  if (!URL.canParse(address)) return false;
  return (addressesOf(template).personal(address)?.rest.length ?? 0) <= LONGEST_REST;
}

function linkTo(url: string): NewLink {
  return { url, prefix: null, hash: createHash('sha256').update(url).digest() };
}

/** One for all recipients. */
function linkBehind({ prefix, shown }: PersonalAddress): NewLink {
  return { url: shown, prefix, hash: createHash('sha256').update(`personal\0${prefix}\0${shown}`).digest() };
}

/** How the links of one mail are tracked. */
export interface Tracking {
  /** The address of the public pages, without a slash at the end. */
  base: string;
  /** The mail's own. */
  token: string;
  clicks: boolean;
  opens: boolean;
  /** What stands for an address in links, where it is known. */
  nameOf(address: string): string | undefined;
}

/**
 * What an address of a mail becomes; null leaves it as it is. One whose name is not known yet is noted and left. What no
 * mail program should follow leads nowhere.
 */
export function trackedAddress(
  address: string,
  followed: boolean,
  { base, token, clicks, nameOf }: Tracking,
  unknown: Set<string>,
): string | null {
  const scheme = schemeOf(address);
  if (!ALLOWED.has(scheme)) return '#';
  if (!followed || !clicks || !scheme.startsWith('http')) return null;
  if (address.length > MAX_URL || address.startsWith(`${base}/u/`)) return null;
  const name = nameOf(address);
  if (name !== undefined) return `${base}/t/c/${token}/${name}`;
  if (URL.canParse(address)) unknown.add(address);
  return null;
}

/** The image by which an opening is noticed. */
export function pixelOf({ base, token }: Tracking): string {
  return `<img src="${base}/t/o/${token}" width="1" height="1" alt="" style="display:block;border:0">`;
}

/** The end of a marketing mail from which nobody could unsubscribe otherwise. */
export function footerOf(unsubscribeUrl: string): string {
  return `<p style="font:12px sans-serif;color:#666;text-align:center"><a href="${unsubscribeUrl}">Unsubscribe</a></p>`;
}
