import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import type { ShopCache } from '../../../commerce/shop.ts';
import type { Db } from '../../../db/pool.ts';
import { notFound } from '../../../errors.ts';
import { pageFailure } from '../../../http/pages/page-failure.ts';
import { html } from '../../../lib/html.ts';
import { chooseLanguage } from '../../../messaging/consent/languages.ts';
import { sendPage } from '../../../messaging/consent/page.ts';
import { textsOf } from '../../../messaging/consent/texts.ts';
import type { Messaging } from '../../../messaging/service.ts';
import { type BrandKitService, readBrandKit } from '../../templates/brand/service.ts';
import { type ShownLook, shownLook } from '../look.ts';
import { type FormRow, findPublicForm } from '../queries.ts';
import { registerConfirmationPage } from './confirmation-page.ts';
import { embedScript } from './embed.ts';
import { showForm } from './hosted-page.ts';
import { clientOf, refuse, thank, wantsJson } from './outcome-page.ts';
import { createFormRateLimit } from './rate-limit.ts';
import { checkStarted, readFields, senderOf, startedAt } from './request.ts';
import { takeSubmission } from './sign-up.ts';
import { HONEYPOT, readSubmission, STARTED } from './submission.ts';

export interface FormPagesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  messaging: Pick<Messaging, 'companies' | 'suppressions' | 'tokenKey'>;
  brandKit: Pick<BrandKitService, 'lookOf'>;
  origin: () => string;
}

const BODY_LIMIT = 16_384;
const NO_VALUES: ReadonlyMap<string, string> = new Map();

/**
 * The public side of signup forms: the hosted page, the snippet for other sites, the URL to which both post, and the confirmation
 * page. GET changes nothing, and no response reveals whether somebody was known before.
 */
export function formPages(
  server: FastifyInstance,
  { db, clock, log, shops, messaging, brandKit, origin }: FormPagesDeps,
): void {
  const { tokenKey, suppressions } = messaging;
  const deps = { db, suppressions, tokenKey };
  const limit = createFormRateLimit(db, tokenKey);

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, request, reply) => {
      const { status, headers } = pageFailure(log, error, request);
      reply.code(status).headers(headers);
      const language = chooseLanguage({}, request.headers['accept-language'], 'en');
      const { noLink, notUnderstood, failed } = textsOf(language).error;
      const { title, text } = status === 404 ? noLink : status < 500 ? notUnderstood : failed;
      if (wantsJson(request)) return reply.send({ ok: false, message: text });
      return sendPage(reply, { language, title, content: html`<p>${text}</p>` });
    });

    scope.get('/f/:id', async (request, reply) => {
      const form = await formOf(request);
      const state = { started: startedNow(form), values: NO_VALUES, wrong: null };
      return showForm(reply, form, await lookOf(form), state);
    });
    scope.get('/f/:id/embed.js', async (request, reply) => {
      const form = await formOf(request);
      const url = `${origin()}/f/${form.public_id}`;
      const started = startedNow(form);
      return reply
        .headers({
          'Content-Type': 'text/javascript; charset=utf-8',
          'Cache-Control': 'public, max-age=300',
          'X-Content-Type-Options': 'nosniff',
          'Cross-Origin-Resource-Policy': 'cross-origin',
        })
        .send(embedScript(form, await lookOf(form), textsOf(form.language), { url, started }));
    });
    scope.options('/f/:id', async (request, reply) => {
      allowSender(request, reply, await formOf(request));
      return reply
        .headers({ 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Allow-Headers': 'Content-Type' })
        .header('Access-Control-Max-Age', '600')
        .code(204)
        .send();
    });
    scope.post('/f/:id', postForm);
    registerConfirmationPage(scope, { db, clock, messaging, brandKit });
  });

  async function postForm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const form = await formOf(request);
    const texts = textsOf(form.language);
    if (!allowSender(request, reply, form)) return refuse(request, reply.code(403), form, texts.form.refused);
    const values = readFields(request.headers['content-type'], request.body);
    const now = clock.now();
    const wait = await limit.take(form, request.ip, now);
    if (wait > 0) {
      return refuse(request, reply.code(429).header('Retry-After', String(wait)), form, texts.form.tooMany);
    }
    const started = checkStarted(tokenKey, form, values.get(STARTED), now);
    if (started === 'none') return refuse(request, reply.code(400), form, texts.form.again);
    const { country } = await shops.get(form.company_id);
    const read = readSubmission(form, values, texts, country);
    if (!read.ok) {
      const { field, message } = read;
      if (wantsJson(request)) return reply.code(400).send({ ok: false, field, message });
      return showForm(reply.code(400), form, await lookOf(form), {
        started: startedNow(form),
        values,
        wrong: { field, message },
      });
    }
    // A bot gets the same response as a person.
    const isBot = (values.get(HONEYPOT) ?? '') !== '' || started === 'early';
    if (!isBot) await takeSubmission(deps, { form, submission: read.submission, ...clientOf(request), now });
    return thank(request, reply, form, lookOf);
  }

  /** Whether the page that sends the form may do so; sets the CORS header for a page of another site. */
  function allowSender(request: FastifyRequest, reply: FastifyReply, form: FormRow): boolean {
    reply.header('Vary', 'Origin');
    const sender = senderOf(request.headers, form, origin());
    if (sender === 'allowed') reply.header('Access-Control-Allow-Origin', request.headers.origin);
    return sender !== 'foreign';
  }

  /** The signed time at which the form is shown. */
  const startedNow = (form: FormRow): string => startedAt(tokenKey, form, clock.now());

  async function lookOf({ company_id: companyId, look }: FormRow): Promise<ShownLook> {
    return shownLook(look, await readBrandKit(db.points(companyId), companyId));
  }

  /** Throws not_found. */
  async function formOf(request: FastifyRequest): Promise<FormRow> {
    const { id } = request.params as { id: string };
    const form = /^[\w-]{16}$/.test(id) ? await findPublicForm(db.strangers, id) : undefined;
    if (form === undefined) throw notFound('form');
    return form;
  }
}
