import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { FailedAttempts } from '../access/attempts/limiter.ts';
import { ABSOLUTE_MS, signIn, signOut, useSession } from '../access/sessions.ts';
import type { Clock } from '../clock.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { publicError, retryHeaders } from '../http/api/public-error.ts';
import { requireSameOrigin } from '../http/api/surfaces/same-origin.ts';
import { isHttps, secretIn, sessionCookie } from '../http/api/surfaces/session-cookie.ts';
import { type Html, html } from '../lib/html.ts';
import { APP_POLICY, appFiles } from './app-files.ts';
import { messagePage, STYLES } from './layout.ts';
import { type OverviewDeps, overviewPage } from './overview.ts';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': APP_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_key: 401,
  not_found: 404,
  rate_limited: 429,
  overloaded: 429,
  internal: 500,
  timed_out: 500,
  database_unavailable: 503,
};

export interface AdminDeps extends OverviewDeps {
  log: Logger;
  failedAttempts: FailedAttempts;
  /** Sessions are no part of the shop's life, whose clock may be put forward. */
  machineClock: Clock;
  origin: () => string;
}

/** The admin app, and the operator's pages without scripts: what is held, what needs attention, messages of the mailbox. */
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
      scope.get('/overview', async (request, reply) => {
        await requireSession(deps, request);
        const { company } = request.query as { company?: string };
        return send(reply, await overviewPage(deps, Number(company) || null));
      });
      scope.get('/messages/:company/:id', async (request, reply) => {
        await requireSession(deps, request);
        const { company, id } = request.params as { company: string; id: string };
        const message = await deps.mailbox.getMailboxMessage(idOf(company), idOf(id));
        return reply.headers({ ...HEADERS, 'Content-Security-Policy': messagePolicy(deps) }).send(bodyOf(message));
      });
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
 * A message is its author's markup: nothing in it runs, and it is of no origin. Its pictures are not fetched, but for the
 * demo shop's: that would count as an open, or tell another host who looks.
 */
function messagePolicy(deps: AdminDeps): string {
  const pictures = `${deps.origin()}/demo/images/`;
  return `sandbox; default-src 'none'; img-src data: ${pictures}; style-src 'unsafe-inline'; frame-ancestors 'self'`;
}

function bodyOf(message: { html: string | null; text: string }): string {
  return message.html ?? html`<!doctype html><meta charset="utf-8"><pre>${message.text}</pre>`.text;
}

async function exchange(deps: AdminDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  requireSameOrigin(request);
  requirePatience(deps.failedAttempts.blockedFor('sign_in', request.ip));
  const token = request.body instanceof URLSearchParams ? (request.body.get('token') ?? '') : '';
  const visit = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' };
  const secret = await signIn(deps.db, token, deps.machineClock.now(), visit);
  if (secret === null) {
    requirePatience(await deps.failedAttempts.fail('sign_in', request.ip));
    throw new AppError(
      'invalid_key',
      'This link was used before or has expired: make a new one with tradeloom sign-in.',
    );
  }
  const before = secretOf(request);
  if (before !== null) await signOut(deps.db, before);
  deps.log.info({ address: request.ip, request_id: request.requestId }, 'signed in to the admin pages');
  return reply.header('Set-Cookie', cookie(request, secret, ABSOLUTE_MS / 1000)).redirect('/admin/overview', 303);
}

function requirePatience(seconds: number): void {
  if (seconds > 0) throw new AppError('rate_limited', `Too many attempts: try again in ${seconds} s.`);
}

/** Throws AppError invalid_key without a living session. */
async function requireSession(deps: AdminDeps, request: FastifyRequest): Promise<void> {
  const secret = secretOf(request);
  if (secret === null || !(await useSession(deps.db, secret, deps.machineClock.now()))) {
    throw new AppError('invalid_key', 'You are not signed in: open a link made with tradeloom sign-in.');
  }
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
