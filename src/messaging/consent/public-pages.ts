import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { html } from '../../lib/html.ts';
import type { Link } from '../feedback/activity-queries.ts';
import { isMachine } from '../feedback/bot-detection.ts';
import { type RestOwner, readRest, targetOf } from '../personal-links/rest.ts';
import type { Messaging } from '../service.ts';
import { type ConfirmationLink, confirm } from './confirmation-links.ts';
import { chooseLanguage } from './languages.ts';
import { PAGE_HEADERS, type PublicPage, sendPage } from './page.ts';
import { preferenceContent } from './preference-page.ts';
import { readPreferenceRequest } from './preference-request.ts';
import { changePreferences, type LinkOwner, preferencesOf } from './preferences.ts';
import { textsOf } from './texts.ts';
import { readLinkName, readToken, type TokenContent, type TokenKind } from './tokens.ts';

export interface MessagingPagesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  messaging: Pick<Messaging, 'companies' | 'suppressions' | 'activity' | 'tokenKey'>;
}

/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const BODY_LIMIT = 16_384;

/**
 * What links in messages lead to: unsubscribing and preferences, confirmations, the open pixel and the click redirect. No
 * sign-in and no cookies: the token is the right. Nothing but opens and clicks happens by GET, since mail programs follow
 * links by themselves.
 */
export function messagingPages(server: FastifyInstance, deps: MessagingPagesDeps): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // RFC 8058 lets the one-click body come as either kind of form.
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (request, body, done) => {
      const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      done(null, new URLSearchParams(form ? (body as string) : ''));
    });
    scope.setErrorHandler((error, request, reply) => {
      const { status, page } = failureOf(error, request);
      if (status === 500) deps.log.error({ err: error, route: request.routeOptions.url }, 'public page failed');
      return sendPage(reply.code(status), page);
    });
    scope.get('/u/:token', { exposeHeadRoute: true }, async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(deps, request, 'unsubscribe');
      const owner = { contactId: subject, messageId: detail };
      return sendPage(reply, await preferencesPage(deps, request, companyId, owner, false));
    });
    scope.post('/u/:token', async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(deps, request, 'unsubscribe');
      const owner = { contactId: subject, messageId: detail };
      const asked = readPreferenceRequest(formOf(request));
      const by = { ip: request.ip, userAgent: request.headers['user-agent']?.slice(0, 500) };
      await changePreferences(deps.db, deps.messaging.suppressions, companyId, owner, asked, by, deps.clock.now());
      return sendPage(reply, await preferencesPage(deps, request, companyId, owner, true));
    });
    scope.get('/u/confirm/:token', { exposeHeadRoute: true }, async (request, reply) => {
      const { companyId } = confirmationOf(deps, request);
      const { language, texts } = await textsFor(deps, request, companyId);
      const { title, ask, button } = texts.confirm;
      const content = html`<p>${ask}</p>
<form method="post"><button>${button}</button></form>`;
      return sendPage(reply, { language, title, content });
    });
    scope.post('/u/confirm/:token', async (request, reply) => {
      const link = confirmationOf(deps, request);
      const { companyId } = link;
      const confirmed = await confirm(deps.db, deps.messaging.suppressions, link, {
        now: deps.clock.now(),
        ip: request.ip,
        userAgent: request.headers['user-agent']?.slice(0, 500),
      });
      const { language, texts } = await textsFor(deps, request, companyId);
      const { title, done, nothing } = texts.confirm;
      return sendPage(reply, { language, title, content: html`<p>${confirmed ? done : nothing}</p>` });
    });
    // Scanners ask for the head alone.
    scope.route({ method: ['GET', 'HEAD'], url: '/t/o/:token', handler: openPixel });
    scope.route({ method: ['GET', 'HEAD'], url: '/t/c/:token/:link', handler: followLink });
    scope.route({ method: ['GET', 'HEAD'], url: '/t/c/:token/:link/:rest', handler: followLink });
  });

  async function openPixel(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { companyId, subject } = tokenOf(deps, request, 'message');
    await noted(deps, deps.messaging.activity.opened(companyId, subject, isMachine(request.method, request.headers)));
    return reply.headers({ ...PAGE_HEADERS, 'Content-Type': 'image/gif' }).send(PIXEL);
  }

  async function followLink(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { companyId, subject } = tokenOf(deps, request, 'message');
    const { link, rest } = request.params as { link: string; rest?: string };
    const linkId = readLinkName(deps.messaging.tokenKey, companyId, link);
    if (linkId === null) throw new AppError('not_found', 'Not found');
    const stored = await deps.messaging.activity.leadsTo(companyId, linkId);
    const url = stored && leadsTo(stored, { companyId, messageId: subject, linkId }, rest);
    if (url === null) throw new AppError('not_found', 'Not found');
    const machine = isMachine(request.method, request.headers);
    await noted(deps, deps.messaging.activity.clicked(companyId, subject, linkId, machine));
    return reply
      .header('Cache-Control', 'no-store')
      .header('Referrer-Policy', 'no-referrer')
      .redirect(asciiOf(url), 302);
  }

  /** The stored address, or the stored beginning of one with the signed rest of this recipient's. */
  function leadsTo({ url, prefix }: Link, owner: RestOwner, signed: string | undefined): string | null {
    if (signed === undefined) return prefix ?? url;
    const rest = readRest(deps.messaging.tokenKey, owner, signed);
    return prefix === null || rest === null ? null : targetOf(prefix, rest);
  }
}

/** As the author wrote it where a header can hold that; else with what browsers make of it. */
function asciiOf(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}

/** The picture is sent, and the link followed, even when that could not be noted. */
async function noted(deps: MessagingPagesDeps, work: Promise<void>): Promise<void> {
  await work.catch((error) => deps.log.warn({ err: error }, 'an opening or a click was not noted'));
}

function tokenOf(deps: MessagingPagesDeps, request: FastifyRequest, kind: TokenKind): TokenContent {
  const { token } = request.params as { token: string };
  const content = readToken(deps.messaging.tokenKey, kind, token);
  if (content === null) throw new AppError('not_found', 'Not found');
  return content;
}

/** Links that were mailed before messages were named in them name the contact. */
function confirmationOf(deps: MessagingPagesDeps, request: FastifyRequest): ConfirmationLink {
  const { token } = request.params as { token: string };
  const content = readToken(deps.messaging.tokenKey, 'confirmation', token);
  if (content !== null) return { companyId: content.companyId, listId: content.detail, messageId: content.subject };
  const { companyId, subject: contactId, detail: listId } = tokenOf(deps, request, 'confirm');
  return { companyId, listId, contactId };
}

function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

/** In the language of the browser, as nothing is known of whose request that was. */
function failureOf(error: unknown, request: FastifyRequest): { status: number; page: PublicPage } {
  const language = chooseLanguage({}, request.headers['accept-language'], 'en');
  const { noLink, notUnderstood, failed } = textsOf(language).error;
  const code = error instanceof AppError ? error.code : null;
  const { statusCode = 500 } = error as Partial<FastifyError>;
  const status = code === 'not_found' ? 404 : code === 'bad_request' ? 400 : Math.min(statusCode, 500);
  const { title, text } = status === 404 ? noLink : status < 500 ? notUnderstood : failed;
  const detail = code === 'bad_request' ? (error as AppError).message : text;
  return { status, page: { language, title, content: html`<p>${detail}</p>` } };
}

async function textsFor(
  deps: MessagingPagesDeps,
  request: FastifyRequest,
  companyId: number,
  properties: Record<string, unknown> = {},
) {
  const company = await deps.messaging.companies.get(companyId);
  const language = chooseLanguage(properties, request.headers['accept-language'], company.language);
  return { company, language, texts: textsOf(language) };
}

async function preferencesPage(
  deps: MessagingPagesDeps,
  request: FastifyRequest,
  companyId: number,
  owner: LinkOwner,
  saved: boolean,
): Promise<PublicPage> {
  const shown = await preferencesOf(deps.db.points(companyId), companyId, owner);
  const { company, language, texts } = await textsFor(deps, request, companyId, shown?.properties);
  const { title, nobody } = texts.preferences;
  if (shown === null) return { language, title, content: html`<p>${nobody}</p>` };
  const options = { language, lessOftenDays: company.less_often_days, saved, now: deps.clock.now() };
  return { language, title, content: preferenceContent(shown, texts, options) };
}
