import { createHash, type KeyObject } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { upsertLinks } from './content-queries.ts';
import { insertAtEnd, rewriteAddresses, schemeOf } from './links.ts';
import { LruCache } from './lru.ts';
import type { SendingCompany } from './settings.ts';
import { signToken } from './tokens.ts';

/** One rendered mail. Without `track` its links lead straight to where they say. */
export interface TrackedPage {
  messageId: number;
  html: string;
  track: boolean;
}

export interface LinkTracker {
  /** The mails with links that lead through the redirect, and the open pixel, as far as the company wants them. */
  track(company: SendingCompany, pages: TrackedPage[]): Promise<string[]>;
}

const ALLOWED = new Set(['http', 'https', 'mailto', '']);
const MAX_URL = 8_000;

/** `origin` without a slash at the end. Ids of addresses never change, so they are kept. */
export function createLinkTracker(deps: { db: Queryable; tokenKey: KeyObject; origin: () => string }): LinkTracker {
  const { db, tokenKey, origin } = deps;
  const ids = new LruCache<number>(20_000, 8_000_000);

  async function learn(company: SendingCompany, urls: Set<string>): Promise<void> {
    const links = [...urls].map((url) => ({ url, hash: createHash('sha256').update(url).digest() }));
    for (const { id, url } of await upsertLinks(db, company.companyId, links)) {
      ids.set(`${company.companyId} ${url}`, id, url.length + 50);
    }
  }

  function rewrite(company: SendingCompany, page: TrackedPage, base: string, unknown: Set<string>): string {
    const { companyId, track_clicks, track_opens } = company;
    const token = signToken(tokenKey, 'message', { companyId, subject: page.messageId, detail: 0 });
    const unsubscribe = `${base}/u/`;
    const html = rewriteAddresses(page.html, (address, followed) => {
      const scheme = schemeOf(address);
      if (!ALLOWED.has(scheme)) return '#';
      if (!followed || !track_clicks || !page.track || !scheme.startsWith('http')) return null;
      if (address.length > MAX_URL || address.startsWith(unsubscribe)) return null;
      const id = ids.get(`${companyId} ${address}`);
      if (id !== undefined) return `${base}/t/c/${token}/${id}`;
      if (URL.canParse(address)) unknown.add(address);
      return null;
    });
    return track_opens && page.track ? insertPixel(html, `${base}/t/o/${token}`) : html;
  }

  return {
    async track(company, pages) {
      const base = origin();
      const unknown = new Set<string>();
      const first = pages.map((page) => {
        const before = unknown.size;
        const html = rewrite(company, page, base, unknown);
        return unknown.size === before && before === 0 ? html : null;
      });
      if (unknown.size === 0) return first.map((html) => html!);
      await learn(company, unknown);
      const still = new Set<string>();
      // An address that fell out of the memory between the two lines is left as it is: the mail works, uncounted.
      return pages.map((page, i) => first[i] ?? rewrite(company, page, base, still));
    },
  };
}

function insertPixel(html: string, url: string): string {
  return insertAtEnd(html, `<img src="${url}" width="1" height="1" alt="" style="display:block;border:0">`);
}
