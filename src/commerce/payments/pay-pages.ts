import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { NetworkLimiter } from '../../access/attempts/limiter.ts';
import type { Caller } from '../../caller.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, notFound } from '../../errors.ts';
import { pageFailure } from '../../http/pages/page-failure.ts';
import { html } from '../../lib/html.ts';
import { pageLook } from '../../marketing/templates/brand/page-look.ts';
import { readBrandKit } from '../../marketing/templates/brand/service.ts';
import { chooseLanguage } from '../../messaging/consent/languages.ts';
import { sendPage } from '../../messaging/consent/page.ts';
import { tokenOf } from '../../messaging/consent/page-token.ts';
import { textsOf } from '../../messaging/consent/texts.ts';
import type { Messaging } from '../../messaging/service.ts';
import type { ShopCache } from '../shop.ts';
import { payContent } from './pay-content.ts';
import { type PayTarget, readPayTarget } from './pay-links.ts';
import { payTexts } from './pay-texts.ts';
import { type Payable, type Payables, type PayProblem, payProblem } from './pay-view.ts';

export interface PayPagesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  messaging: Pick<Messaging, 'companies' | 'tokenKey'>;
  visitorLimiter: NetworkLimiter;
  payables: Payables;
}

const BODY_LIMIT = 4_096;

/** Errors of the whole page; all others are reasons that the buyer is told beside the order. */
const FAILURES: ReadonlySet<string> = new Set([
  'bad_request',
  'not_found',
  'rate_limited',
  'overloaded',
  'database_unavailable',
  'timed_out',
  'internal',
]);

interface Asked {
  target: PayTarget;
  payable: Payable;
  caller: Caller;
}

/**
 * The page of a pay link: what is paid, the methods for buyers, and what has become of it. The signed token in the URL authorizes, and there
 * are no cookies, so no other site can pay for anybody. GET changes nothing, because mail programs prefetch links.
 */
export function payPages(server: FastifyInstance, deps: PayPagesDeps): void {
  const { clock, log, shops, visitorLimiter, payables } = deps;
  const { companies, tokenKey } = deps.messaging;
  const db = deps.db.visitors;

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (request, body, done) => {
      const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      done(null, new URLSearchParams(form ? (body as string) : ''));
    });
    scope.setErrorHandler((error, request, reply) => {
      const { status, headers } = pageFailure(log, error, request);
      const language = chooseLanguage({}, request.headers['accept-language'], 'en');
      const { noLink, notUnderstood, failed } = textsOf(language).error;
      const { tooMany } = payTexts(language);
      const { title, text } =
        status === 404 ? noLink : status === 429 ? tooMany : status < 500 ? notUnderstood : failed;
      return sendPage(reply.code(status).headers(headers), { language, title, content: html`<p>${text}</p>` });
    });
    scope.get('/pay/:token', { config: { ofLinks: true } }, async (request, reply) => {
      return show(request, reply, targetOf(request), null);
    });
    scope.post('/pay/:token', { config: { ofLinks: true } }, async (request, reply) => {
      const target = targetOf(request);
      await within(visitorLimiter.count('store_writes', request.ip));
      if (target.expiresAt <= clock.now()) return show(request, reply, target, null);
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      try {
        await act(request, askedOf(request, target), form);
      } catch (error) {
        if (!(error instanceof AppError) || FAILURES.has(error.code)) throw error;
        return show(request, reply.code(422), target, payProblem(error.code));
      }
      // A page that is loaded again sends nothing twice.
      return reply.header('Cache-Control', 'no-store').redirect(request.url, 303);
    });
  });

  async function act(
    request: FastifyRequest,
    { target, payable, caller }: Asked,
    form: URLSearchParams,
  ): Promise<void> {
    const { kind, companyId, id } = target;
    if (form.get('do') === 'reopen') return payable.reopen(caller, id);
    const choice = { methodId: idIn(form.get('method')), expectedTotal: amountIn(form.get('expected')) };
    await within(visitorLimiter.count('store_pays', request.ip));
    await within(visitorLimiter.count('store_pays', `${kind} ${companyId} ${id}`));
    if (choice.methodId === null && choice.expectedTotal > 0) {
      throw new AppError('payment_method_unavailable', 'A payment method must be chosen', { method_id: null });
    }
    return payable.pay(caller, id, choice);
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    target: PayTarget,
    refused: PayProblem | null,
  ): Promise<FastifyReply> {
    const { companyId, kind } = target;
    await within(visitorLimiter.count('store_reads', request.ip));
    const { payable, caller } = askedOf(request, target);
    const [shop, company, kit] = await Promise.all([
      shops.get(companyId),
      companies.get(companyId),
      readBrandKit(db.points(companyId), companyId),
    ]);
    const language = chooseLanguage({}, request.headers['accept-language'], company.language);
    const texts = payTexts(language);
    const page = { language, title: texts.title, look: pageLook(kit) };
    const view = await payable.view(caller, target.id);
    // What was placed, or is being paid, is shown on.
    if (view.state === 'closed') reply.code(410);
    if (view.state === 'open' && target.expiresAt <= clock.now()) {
      return sendPage(reply.code(410), { ...page, content: html`<p>${texts.expired(shop.name)}</p>` });
    }
    return sendPage(reply, { ...page, content: payContent(view, { kind, shop, language, refused }) });
  }

  /** Throws not_found for a token that is not one of this server. */
  function targetOf(request: FastifyRequest): PayTarget {
    return readPayTarget(tokenOf(tokenKey, request, 'pay'));
  }

  function askedOf({ requestId }: FastifyRequest, target: PayTarget): Asked {
    const payable = payables[target.kind];
    if (payable === undefined) throw notFound(target.kind);
    const { companyId } = target;
    return { target, payable, caller: { companyId, actor: 'store', requestId, now: clock.now(), idempotency: null } };
  }
}

/** Throws rate_limited if there is a time to wait. */
async function within(counted: number | Promise<number>): Promise<void> {
  const wait = await counted;
  if (wait > 0) throw new AppError('rate_limited', 'Too many requests', { retry_after: wait });
}

function idIn(text: string | null): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** Throws bad_request for anything but an amount. */
function amountIn(text: string | null): number {
  if (!/^\d{1,13}(\.\d{1,4})?$/.test(text ?? '')) throw new AppError('bad_request', 'expected must be an amount');
  return Number(text);
}
