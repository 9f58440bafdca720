import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { NetworkLimiter } from '../access/attempts/limiter.ts';
import { grants } from '../access/scopes.ts';
import { ABSOLUTE_MS, type AdminSessions, signIn, signOut } from '../access/sessions.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { publicError, retryHeaders } from '../http/api/errors.ts';
import { isHttps, requireSameOrigin, secretIn, sessionCookie } from '../http/api/surfaces/admin.ts';
import { PAGES_POLICY } from '../http/pages/static-files.ts';
import { type Html, html } from '../lib/html.ts';
import type { MailboxService } from '../messaging/mailbox/service.ts';
import { appFiles } from './app-files.ts';
import { messagePage, STYLES } from './layout.ts';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': PAGES_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_key: 401,
  forbidden_role: 403,
  not_found: 404,
  rate_limited: 429,
  overloaded: 429,
  internal: 500,
  timed_out: 500,
  database_unavailable: 503,
};

export interface AdminDeps {
  db: Db;
  sessions: AdminSessions;
  mailbox: Pick<MailboxService, 'getMailboxMessage'>;
  log: Logger;
  networkLimiter: NetworkLimiter;
  /** Sessions are independent of the shop's clock, which may be moved forward. */
  machineClock: Clock;
  origin: () => string;
}

/** Serves the admin app, and the messages of the mailbox that it shows in frames. */
export function adminPages(server: FastifyInstance, deps: AdminDeps): void {
  void server.register(
    async (scope) => {
      scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
        done(null, new URLSearchParams(body as string)),
      );
      scope.setErrorHandler((error, request, reply) => {
        const shown = publicError(deps, error, request);
        const status = STATUS[shown.code] ?? 400;
        return send(reply.code(status).headers(retryHeaders(shown)), messagePage('That did not work', shown.message));
      });
      scope.post('/sign-in', (request, reply) => exchange(deps, request, reply));
      scope.post('/sign-out', async (request, reply) => {
        requireSameOrigin(request);
        const secret = secretOf(request);
        if (secret !== null) await signOut(deps.db, secret);
        deps.log.info({ address: request.ip, request_id: request.requestId }, 'signed out of the admin pages');
        reply.header('Clear-Site-Data', '"cache", "storage"');
        return reply.header('Set-Cookie', cookie(request, '', 0)).redirect('/admin/', 303);
      });
      scope.get('/admin.css', (_request, reply) =>
        reply.header('Content-Type', 'text/css; charset=utf-8').header('Cache-Control', 'max-age=3600').send(STYLES),
      );
      scope.get('/messages/:company/:id', async (request, reply) => {
        const { company, id } = request.params as { company: string; id: string };
        const companyId = await readableCompany(deps, request, idOf(company));
        const message = await deps.mailbox.getMailboxMessage(companyId, idOf(id));
        return reply.headers({ ...HEADERS, 'Content-Security-Policy': messagePolicy(deps) }).send(bodyOf(message));
      });
      scope.get('/preview-frame', (_request, reply) =>
        reply.headers({ ...HEADERS, 'Content-Security-Policy': framePolicy("'self' https: data:") }).send(FRAME),
      );
      scope.get('/description-frame', (_request, reply) =>
        reply.headers({ ...HEADERS, 'Content-Security-Policy': framePolicy(ownPictures(deps)) }).send(FRAME),
      );
    },
    { prefix: '/admin' },
  );
  appFiles(server);
  server.get('/', (_request, reply) => reply.redirect('/admin/'));
}

function idOf(text: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new AppError('not_found', 'Not found');
  return id;
}

/**
 * A message is untrusted markup: none of its scripts run, and its origin is opaque. Only pictures that this server stores are
 * loaded: others would count as an open, or reveal to another host who is looking.
 */
function messagePolicy(deps: AdminDeps): string {
  return `sandbox; default-src 'none'; img-src ${ownPictures(deps)}; style-src 'unsafe-inline'; frame-ancestors 'self'`;
}

/** The sources of pictures that this server stores. */
function ownPictures(deps: AdminDeps): string {
  const origin = deps.origin();
  return `data: ${origin}/demo/images/ ${origin}/pictures/`;
}

/** Shows markup sent by the surrounding page. No policy keeps a page from connecting to the host of a link element. */
const FRAME_SCRIPT = `addEventListener('message', (event) => {
  if (event.source !== parent) return;
  const page = new DOMParser().parseFromString(event.data, 'text/html');
  for (const one of page.querySelectorAll('link, meta[http-equiv]')) one.remove();
  document.documentElement.replaceWith(page.documentElement);
});`;
const FRAME = `<!doctype html><meta charset="utf-8"><title>Preview</title><script>${FRAME_SCRIPT}</script>`;
const FRAME_HASH = createHash('sha256').update(FRAME_SCRIPT).digest('base64');

/** Its origin is opaque too. Only this page's own script runs, no scripts or handlers of the markup. */
function framePolicy(pictures: string): string {
  return (
    `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${FRAME_HASH}'; img-src ${pictures}; ` +
    "style-src 'unsafe-inline'; frame-ancestors 'self'"
  );
}

function bodyOf(message: { html: string | null; text: string }): string {
  return message.html ?? html`<!doctype html><meta charset="utf-8"><pre>${message.text}</pre>`.text;
}

async function exchange(deps: AdminDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  requireSameOrigin(request);
  requirePatience(deps.networkLimiter.blockedFor('sign_in', request.ip));
  const token = request.body instanceof URLSearchParams ? (request.body.get('token') ?? '') : '';
  const visit = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' };
  const secret = await signIn(deps.db, token, deps.machineClock.now(), visit);
  if (secret === null) {
    requirePatience(await deps.networkLimiter.count('sign_in', request.ip));
    throw new AppError(
      'invalid_key',
      'This link was used before or has expired: make a new one with tradeloom sign-in.',
    );
  }
  const before = secretOf(request);
  if (before !== null) await signOut(deps.db, before);
  deps.log.info({ address: request.ip, request_id: request.requestId }, 'signed in to the admin pages');
  return reply.header('Set-Cookie', cookie(request, secret, ABSOLUTE_MS / 1000)).redirect('/admin/', 303);
}

function requirePatience(seconds: number): void {
  if (seconds > 0) throw new AppError('rate_limited', `Too many attempts: try again in ${seconds} s.`);
}

/**
 * Returns the company if the person may read its messages. Throws AppError: invalid_key without a live session, not_found for a company of
 * others, forbidden_role.
 */
async function readableCompany(deps: AdminDeps, request: FastifyRequest, companyId: number): Promise<number> {
  const secret = secretOf(request);
  const session = secret === null ? null : await deps.sessions.find(secret);
  if (session === null) throw new AppError('invalid_key', 'You are not signed in.');
  const { scopes } = deps.sessions.standingIn(session, companyId);
  if (!grants(scopes, 'marketing:read')) throw new AppError('forbidden_role', 'Your role does not permit this');
  return companyId;
}

function cookie(request: FastifyRequest, secret: string, seconds: number): string {
  return sessionCookie(isHttps(request), secret, seconds);
}

function secretOf(request: FastifyRequest): string | null {
  return secretIn(request.headers, isHttps(request));
}

function send(reply: FastifyReply, page: Html): FastifyReply {
  return reply.headers(HEADERS).send(page.text);
}
