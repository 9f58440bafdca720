import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { NetworkLimiter } from '../../access/attempts/limiter.ts';
import type { Caller } from '../../caller.ts';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
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
import type { Shop, ShopCache } from '../shop.ts';
import type { CheckoutPayment } from './contract.ts';
import { methodsForBuyers } from './methods/choose.ts';
import { payContent } from './pay-content.ts';
import { redirectTargets, stripeScript, stripeSources } from './pay-elements.ts';
import { type PayTarget, readPayTarget } from './pay-links.ts';
import { PAY_SCRIPT, PAY_SCRIPT_PATH } from './pay-script.ts';
import { payTexts } from './pay-texts.ts';
import { type Payable, type Payables, type PayProblem, type PayView, payProblem } from './pay-view.ts';

export interface PayPagesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  messaging: Pick<Messaging, 'companies' | 'tokenKey'>;
  visitorLimiter: NetworkLimiter;
  payables: Payables;
  config: Pick<Config, 'paymentUrls'>;
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

/** Problems after which the page is still right, and the buyer can try again there. */
const TRY_AGAIN: readonly PayProblem[] = ['method', 'declined', 'in_progress'];

/**
 * The page of a pay link: what is paid, the methods for buyers, and what has become of it. The signed token in the URL authorizes, and there
 * are no cookies, so no other site can pay for anybody. GET begins and ends nothing, because mail programs prefetch links; it asks payment
 * services how payments are.
 */
export function payPages(server: FastifyInstance, deps: PayPagesDeps): void {
  const { clock, log, shops, visitorLimiter, payables } = deps;
  const { paymentUrls } = deps.config;
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
      const back = html`<p><a href="${pathOf(request)}">${tooMany.back}</a></p>`;
      return sendPage(reply.code(status).headers(headers), {
        language,
        title,
        content: html`<p>${text}</p>${status === 429 ? back : null}`,
      });
    });
    scope.get(PAY_SCRIPT_PATH, { config: { ofLinks: true } }, (_request, reply) =>
      reply.header('Cache-Control', 'no-cache').type('text/javascript; charset=utf-8').send(PAY_SCRIPT),
    );
    scope.get('/pay/:token', { config: { ofLinks: true } }, async (request, reply) => {
      const target = targetOf(request);
      // Services add what only they need when they send the buyer back, such as secrets of the payment.
      if (request.url.includes('?')) return reply.header('Cache-Control', 'no-store').redirect(pathOf(request), 303);
      return show(request, reply, target, null);
    });
    scope.post('/pay/:token/begin', { config: { ofLinks: true } }, begin);
    scope.post('/pay/:token', { config: { ofLinks: true } }, async (request, reply) => {
      const target = targetOf(request);
      await within(visitorLimiter.count('store_writes', request.ip));
      if (target.expiresAt <= clock.now()) return show(request, reply, target, null);
      const asked = askedOf(request, target);
      const form = formIn(request);
      const outcome = await problemOr(form.get('do') === 'reopen' ? reopen(asked) : pay(request, asked, form));
      if (typeof outcome === 'string') return show(request, reply.code(422), target, outcome);
      // A page that is loaded again sends nothing twice.
      const next = outcome?.redirect_url ?? pathOf(request);
      return reply.header('Cache-Control', 'no-store').redirect(next, 303);
    });
  });

  /** For the script of the page: the secret with which Stripe.js pays, what the buyer is told, or what the script does so that the page tells it. */
  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const target = targetOf(request);
    reply.header('Cache-Control', 'no-store');
    await within(visitorLimiter.count('store_writes', request.ip));
    if (target.expiresAt <= clock.now()) return reply.send({ next: 'reload' });
    const asked = askedOf(request, target);
    const { companyId } = target;
    const [shop, company] = await Promise.all([shops.get(companyId), companies.get(companyId)]);
    const language = chooseLanguage({}, request.headers['accept-language'], company.language);
    const texts = payTexts(language);
    const outcome = await problemOr(pay(request, asked, formIn(request))).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
      reply.code(429).headers(pageFailure(log, error, request).headers);
      return { message: texts.tooMany.text };
    });
    if (outcome !== null && typeof outcome === 'object' && 'message' in outcome) return reply.send(outcome);
    if (typeof outcome !== 'string') {
      const secret = outcome?.client_secret ?? null;
      return reply.send(secret === null ? { next: 'reload' } : { client_secret: secret });
    }
    if (!TRY_AGAIN.includes(outcome)) return reply.code(422).send({ next: 'send' });
    return reply.code(422).send({ message: texts.problem[outcome](shop.name, '') });
  }

  /** Begins to pay by the chosen method, in place of another one of a service that is under way. */
  async function pay(request: FastifyRequest, asked: Asked, form: URLSearchParams): Promise<CheckoutPayment | null> {
    const { target, payable, caller } = asked;
    const { kind, companyId, id } = target;
    const choice = { methodId: idIn(form.get('method')), expectedTotal: amountIn(form.get('expected')) };
    await within(visitorLimiter.count('store_pays', request.ip));
    await within(visitorLimiter.count('store_pays', `${kind} ${companyId} ${id}`));
    if (choice.methodId === null && choice.expectedTotal > 0) {
      throw new AppError('payment_method_unavailable', 'A payment method must be chosen', { method_id: null });
    }
    return payable.pay(caller, id, choice).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'payment_in_progress') throw error;
      const view = await payable.view(caller, id);
      if (view.state === 'waiting' && view.payment.provider === 'manual') throw error;
      await reopen(asked);
      return payable.pay(caller, id, choice);
    });
  }

  /** Throws payment_in_progress if the service does not let the payment end now. */
  async function reopen({ target: { id }, payable, caller }: Asked): Promise<null> {
    await payable.reopen(caller, id);
    const { state } = await payable.view(caller, id);
    if (state === 'waiting') throw new AppError('payment_in_progress', 'The payment cannot be cancelled now');
    return null;
  }

  /** What is to be paid, after the service of a payment that is under way was asked. */
  async function viewNow({ target: { id }, payable, caller }: Asked): Promise<PayView> {
    const view = await payable.view(caller, id);
    if (view.state !== 'waiting' || view.payment.provider === 'manual') return view;
    // The view tells what it was that ended the payment.
    await problemOr(payable.refresh(caller, id));
    return payable.view(caller, id);
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    target: PayTarget,
    refused: PayProblem | null,
  ): Promise<FastifyReply> {
    const { companyId, kind } = target;
    await within(visitorLimiter.count('store_reads', request.ip));
    const asked = askedOf(request, target);
    const [shop, company, kit] = await Promise.all([
      shops.get(companyId),
      companies.get(companyId),
      readBrandKit(db.points(companyId), companyId),
    ]);
    const language = chooseLanguage({}, request.headers['accept-language'], company.language);
    const texts = payTexts(language);
    const page = { language, title: texts.title, look: pageLook(kit) };
    const view = await viewNow(asked);
    // What was placed, or is being paid, is shown on.
    if (view.state === 'closed') reply.code(410);
    const isExpired = target.expiresAt <= clock.now();
    if (view.state === 'open' && isExpired) {
      return sendPage(reply.code(410), { ...page, content: html`<p>${texts.expired(shop.name)}</p>` });
    }
    const details = {
      kind,
      shop,
      language,
      refused,
      isExpired,
      path: pathOf(request),
      scriptUrl: stripeScript(paymentUrls),
    };
    const { content, hasCards } = payContent(view, details);
    const sources = hasCards ? stripeSources(paymentUrls) : [];
    const leadsTo = leadsAway(view, shop) ? redirectTargets(paymentUrls) : undefined;
    return sendPage(reply, { ...page, content, sources, leadsTo });
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

/** Whether a form of the page may lead to a page of a payment service. */
function leadsAway(view: PayView, shop: Shop): boolean {
  if (view.state === 'waiting') return view.payment.provider === 'mollie';
  return view.state === 'open' && methodsForBuyers(shop).some(({ provider }) => provider === 'mollie');
}

function pathOf({ params }: FastifyRequest): string {
  return `/pay/${(params as { token: string }).token}`;
}

function formIn({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** Returns what a buyer is told instead of a result that an error prevents. Throws errors of the whole page. */
async function problemOr<T>(result: Promise<T>): Promise<T | PayProblem> {
  return result.catch((error: unknown) => {
    if (!(error instanceof AppError) || FAILURES.has(error.code)) throw error;
    return payProblem(error.code);
  });
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
