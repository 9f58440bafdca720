import type { KeyObject } from 'node:crypto';
import type { NewLink } from '../compose/content/content-queries.ts';
import { insertAtEnd, rewriteAddresses } from '../compose/links/links.ts';
import { pixelOf, type Tracking, trackedAddress } from '../compose/tracked-links.ts';
import { readLinkName, signToken } from '../consent/tokens.ts';
import { linkBehind, linkTo } from './new-links.ts';
import { LONGEST_REST, writeRest } from './rest.ts';
import { addressesOf } from './template-addresses.ts';

/** One rendered mail. If not tracked, its links lead directly to their targets. */
export interface TrackedPage {
  companyId: number;
  messageId: number;
  html: string;
  /** Its template, which shows what addresses that differ by recipient have in common. */
  template: string;
  clicks: boolean;
  opens: boolean;
}

export interface PageTracking {
  tokenKey: KeyObject;
  /** Base URL of the public pages, without a trailing slash. */
  base: string;
  /** Returns the name of a link by its hash in hexadecimal, if it is known. */
  nameOf(hash: string): string | undefined;
}

/**
 * Returns the mail with the open pixel and with links through the redirect. Links without a name are added to `wanted` and left unchanged.
 */
export function trackPage(page: TrackedPage, { tokenKey, base, nameOf }: PageTracking, wanted: Map<string, NewLink>) {
  const { companyId, messageId, template } = page;
  const addresses = addressesOf(template);

  function nameFor(address: string): string | undefined {
    if (!URL.canParse(address)) return undefined;
    const personal = addresses.personal(address);
    if (personal !== null && personal.rest.length > LONGEST_REST) return undefined;
    const link = personal === null ? linkTo(address) : linkBehind(personal);
    const hash = link.hash.toString('hex');
    const name = nameOf(hash);
    if (name === undefined) wanted.set(hash, link);
    if (name === undefined || personal === null || personal.rest === '') return name;
    const owner = { companyId, messageId, linkId: readLinkName(tokenKey, companyId, name)! };
    return `${name}/${writeRest(tokenKey, owner, personal.rest)}`;
  }

  const tracking: Tracking = {
    base,
    token: signToken(tokenKey, 'message', { companyId, subject: messageId, detail: 0 }),
    clicks: page.clicks,
    opens: page.opens,
    nameOf: nameFor,
  };
  const html = rewriteAddresses(page.html, (address, followed) =>
    trackedAddress(address, followed, tracking, new Set()),
  );
  return tracking.opens ? insertAtEnd(html, pixelOf(tracking)) : html;
}
