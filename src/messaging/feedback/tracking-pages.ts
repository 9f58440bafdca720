import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../../errors.ts';
import { PAGE_HEADERS } from '../consent/page.ts';
import { tokenOf } from '../consent/page-token.ts';
import { type RestOwner, readLinkName, readRest, targetOf } from '../consent/tokens.ts';
import type { Messaging } from '../service.ts';
import type { Link } from './activity-queries.ts';
import { isMachine } from './bot-detection.ts';

export interface TrackingPagesDeps {
  log: Logger;
  messaging: Pick<Messaging, 'activity' | 'tokenKey'>;
}

/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** The open pixel and the click redirect of messages. */
export function trackingPages(scope: FastifyInstance, { log, messaging }: TrackingPagesDeps): void {
  const { activity, tokenKey } = messaging;

  scope.get('/t/o/:token', openPixel);
  scope.get('/t/c/:token/:link', followLink);
  scope.get('/t/c/:token/:link/:rest', followLink);

  async function openPixel(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { companyId, subject } = tokenOf(tokenKey, request, 'message');
    await recorded(activity.opened(companyId, subject, isMachine(request.method, request.headers)));
    return reply.headers({ ...PAGE_HEADERS, 'Content-Type': 'image/gif' }).send(PIXEL);
  }

  async function followLink(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { companyId, subject } = tokenOf(tokenKey, request, 'message');
    const { link, rest } = request.params as { link: string; rest?: string };
    const linkId = readLinkName(tokenKey, companyId, link);
    if (linkId === null) throw new AppError('not_found', 'Not found');
    const stored = await activity.leadsTo(companyId, linkId);
    const url = stored && leadsTo(stored, { companyId, messageId: subject, linkId }, rest);
    if (url === null) throw new AppError('not_found', 'Not found');
    const machine = isMachine(request.method, request.headers);
    await recorded(activity.clicked(companyId, subject, linkId, machine));
    return reply
      .header('Cache-Control', 'no-store')
      .header('Referrer-Policy', 'no-referrer')
      .redirect(asciiOf(url), 302);
  }

  /** Returns the stored URL, or the stored prefix with this recipient's signed personal rest. */
  function leadsTo({ url, prefix }: Link, owner: RestOwner, signed: string | undefined): string | null {
    if (signed === undefined) return prefix ?? url;
    const rest = readRest(tokenKey, owner, signed);
    return prefix === null || rest === null ? null : targetOf(prefix, rest);
  }

  /** A recording failure must not keep the recipient from the image or the link's target. */
  async function recorded(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => log.warn({ err: error }, 'an open or a click was not recorded'));
  }
}

/** Returns the URL unchanged if it is visible ASCII; otherwise percent-encodes it as browsers do. */
function asciiOf(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}
