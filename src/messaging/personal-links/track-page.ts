import type { KeyObject } from 'node:crypto';
import type { NewLink } from '../compose/content/content-queries.ts';
import { insertAtEnd, rewriteAddresses } from '../compose/links/links.ts';
import { pixelOf, type Tracking, trackedAddress } from '../compose/tracked-links.ts';
import { readLinkName, signToken } from '../consent/tokens.ts';
import { linkBehind, linkTo } from './new-links.ts';
import { LONGEST_REST, writeRest } from './rest.ts';
import { addressesOf } from './template-addresses.ts';

/** One rendered mail. Without `track` its links lead straight to where they say. */
export interface TrackedPage {
  companyId: number;
  messageId: number;
  html: string;
  /** What it was rendered from: of addresses that differ by recipient, what all have in common. */
  template: string;
  clicks: boolean;
  opens: boolean;
}

export interface PageTracking {
  tokenKey: KeyObject;
  /** The address of the public pages, without a slash at the end. */
  base: string;
  /** The name of a link by its hash in hexadecimal, where it is known. */
  nameOf(hash: string): string | undefined;
}

/**
 * The mail with links that lead through the redirect, and the open pixel. Links that have no name yet are noted and left as
 * they are.
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
