import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import { type Html, html } from '../http/html.ts';
import { confirmMembership } from '../marketing/contacts/service.ts';
import type { Link } from './activity-queries.ts';
import { isMachine } from './machines.ts';
import { type RestOwner, readRest, targetOf } from './personal-links/rest.ts';
import { type LinkOwner, preferencesOf, type Refusal, unsubscribe } from './preferences.ts';
import { readLinkName, readToken, type TokenContent, type TokenKind } from './tokens.ts';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};
/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const BODY_LIMIT = 16_384;

/**
 * What links in messages lead to: unsubscribing and preferences, confirmations, the open pixel and the click redirect. No
 * sign-in and no cookies: the token is the right. Nothing but opens and clicks happens by GET, since mail programs follow
 * links by themselves.
 */
export function messagingPages(server: FastifyInstance, app: App): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // RFC 8058 lets the one-click body come as either kind of form.
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (request, body, done) => {
      const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      done(null, new URLSearchParams(form ? (body as string) : ''));
    });
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof AppError && error.code === 'not_found') {
        return send(reply.code(404), 'Link not found', html`<p>This link is not valid. Was it copied as a whole?</p>`);
      }
      const { statusCode = 500 } = error as Partial<FastifyError>;
      if (error instanceof AppError && error.code === 'bad_request') {
        return send(reply.code(400), 'Not understood', html`<p>${error.message}</p>`);
      }
      if (statusCode < 500) {
        return send(reply.code(statusCode), 'Not understood', html`<p>This request cannot be answered.</p>`);
      }
      app.log.error({ err: error, url: request.url }, 'public page failed');
      return send(reply.code(500), 'Something went wrong', html`<p>Please try again in a moment.</p>`);
    });
    scope.get('/u/:token', { exposeHeadRoute: true }, async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(app, request, 'unsubscribe');
      const owner = { contactId: subject, messageId: detail };
      return send(reply, 'E-mail preferences', await preferencesPage(app, companyId, owner));
    });
    scope.post('/u/:token', async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(app, request, 'unsubscribe');
      const owner = { contactId: subject, messageId: detail };
      await unsubscribe(app.db, app.messaging.suppressions, companyId, owner, refusalOf(request), app.clock.now());
      return send(reply, 'Done', await preferencesPage(app, companyId, owner));
    });
    scope.get('/u/confirm/:token', { exposeHeadRoute: true }, (request, reply) => {
      tokenOf(app, request, 'confirm');
      return send(
        reply,
        'Confirm',
        html`<p>Please confirm that you want to be on the list.</p>
<form method="post"><button>Yes, put me on the list</button></form>`,
      );
    });
    scope.post('/u/confirm/:token', async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(app, request, 'confirm');
      const confirmed = await confirmMembership(
        app.db,
        app.messaging.suppressions,
        { companyId, listId: detail, contactId: subject },
        app.clock.now(),
        { ip: request.ip, userAgent: request.headers['user-agent'] },
      );
      const sentence = confirmed ? 'Thank you, you are on the list.' : 'There is nothing to confirm any more.';
      return send(reply, 'Confirm', html`<p>${sentence}</p>`);
    });
    // Scanners ask for the head alone.
    scope.route({ method: ['GET', 'HEAD'], url: '/t/o/:token', handler: openPixel });
    scope.route({ method: ['GET', 'HEAD'], url: '/t/c/:token/:link', handler: followLink });
    scope.route({ method: ['GET', 'HEAD'], url: '/t/c/:token/:link/:rest', handler: followLink });
  });

  async function openPixel(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { companyId, subject } = tokenOf(app, request, 'message');
    await noted(app, app.messaging.activity.opened(companyId, subject, isMachine(request.method, request.headers)));
    return reply.headers({ ...HEADERS, 'Content-Type': 'image/gif' }).send(PIXEL);
  }

  async function followLink(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { companyId, subject } = tokenOf(app, request, 'message');
    const { link, rest } = request.params as { link: string; rest?: string };
    const linkId = readLinkName(app.messaging.tokenKey, companyId, link);
    if (linkId === null) throw new AppError('not_found', 'Not found');
    const stored = await app.messaging.activity.leadsTo(companyId, linkId);
    const url = stored && leadsTo(stored, { companyId, messageId: subject, linkId }, rest);
    if (url === null) throw new AppError('not_found', 'Not found');
    const machine = isMachine(request.method, request.headers);
    await noted(app, app.messaging.activity.clicked(companyId, subject, linkId, machine));
    return reply
      .header('Cache-Control', 'no-store')
      .header('Referrer-Policy', 'no-referrer')
      .redirect(asciiOf(url), 302);
  }

  /** The stored address, or the stored beginning of one with the signed rest of this recipient's. */
  function leadsTo({ url, prefix }: Link, owner: RestOwner, signed: string | undefined): string | null {
    if (signed === undefined) return prefix ?? url;
    const rest = readRest(app.messaging.tokenKey, owner, signed);
    return prefix === null || rest === null ? null : targetOf(prefix, rest);
  }
}

/** As the author wrote it where a header can hold that; else with what browsers make of it. */
function asciiOf(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}

/** The picture is sent, and the link followed, even when that could not be noted. */
async function noted(app: App, work: Promise<void>): Promise<void> {
  await work.catch((error) => app.log.warn({ err: error }, 'an opening or a click was not noted'));
}

function tokenOf(app: App, request: FastifyRequest, kind: TokenKind): TokenContent {
  const { token } = request.params as { token: string };
  const content = readToken(app.messaging.tokenKey, kind, token);
  if (content === null) throw new AppError('not_found', 'Not found');
  return content;
}

function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

/** What mail programs send themselves (RFC 8058) concerns e-mail; the page's own forms name a list, or everything. */
function refusalOf(request: FastifyRequest): Refusal {
  const by = { ip: request.ip, userAgent: request.headers['user-agent']?.slice(0, 500) };
  const leave = formOf(request).get('leave');
  if (leave === null) return { ...by, from: 'emails', listId: null };
  if (leave === 'everything') return { ...by, from: 'everything', listId: null };
  const listId = /^[1-9]\d{0,15}$/.test(leave) ? Number(leave) : Number.NaN;
  if (!Number.isSafeInteger(listId)) throw new AppError('bad_request', 'leave must be the id of a list');
  return { ...by, from: 'list', listId };
}

async function preferencesPage(app: App, companyId: number, owner: LinkOwner): Promise<Html> {
  const found = await preferencesOf(app.db.points(companyId), companyId, owner);
  if (found === null) return html`<p>There is nothing that we would send to this address.</p>`;
  const { company, status, lists } = found;
  if (status === 'unsubscribed')
    return html`<p>You are unsubscribed: ${company} sends you no more marketing messages.</p>`;
  const rows = lists.map(
    ({ list_id, name }) => html`<form method="post"><input type="hidden" name="leave" value="${list_id}">
<p>${name} <button>Leave this list</button></p></form>`,
  );
  return html`<p>You get messages from ${company}.</p>
${rows}
<form method="post"><input type="hidden" name="leave" value="everything">
<button>Unsubscribe from everything</button></form>`;
}

function send(reply: FastifyReply, title: string, content: Html): FastifyReply {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>:root { color-scheme: light dark } body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem }
button { font: inherit; padding: 0.4rem 1rem; cursor: pointer }</style></head>
<body><main><h1>${title}</h1>
${content}
</main></body></html>
`;
  return reply.headers(HEADERS).send(page.text);
}
