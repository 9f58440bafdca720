import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../../clock.ts';
import type { ShopCache } from '../../../commerce/shop.ts';
import type { Db } from '../../../db/pool.ts';
import { AppError, notFound } from '../../../errors.ts';
import { html } from '../../../lib/html.ts';
import { chooseLanguage, type Language } from '../../../messaging/consent/languages.ts';
import { PAGE_HEADERS, type PublicPage, sendPage } from '../../../messaging/consent/page.ts';
import { textsOf } from '../../../messaging/consent/texts.ts';
import { readToken, type TokenContent } from '../../../messaging/consent/tokens.ts';
import type { Messaging } from '../../../messaging/service.ts';
import { type FormRow, findPublicForm } from '../queries.ts';
import { confirmSubmission } from './confirmation.ts';
import { embedScript } from './embed.ts';
import { formContent } from './hosted-page.ts';
import { createFormRates } from './rates.ts';
import { checkStarted, readFields, senderOf, startedAt } from './request.ts';
import { takeSubmission } from './sign-up.ts';
import { readSubmission, STARTED, TRAP } from './submission.ts';

export interface FormPagesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  messaging: Pick<Messaging, 'companies' | 'suppressions' | 'tokenKey'>;
  origin: () => string;
}

const BODY_LIMIT = 16_384;
const NO_VALUES: ReadonlyMap<string, string> = new Map();

/**
 * Where people fill in signup forms: the hosted page, the snippet for other sites, the address that both post to, and the
 * confirmation. Nothing happens by GET, and no response says whether somebody was known before.
 */
export function formPages(server: FastifyInstance, { db, clock, log, shops, messaging, origin }: FormPagesDeps): void {
  const { tokenKey, suppressions, companies } = messaging;
  const deps = { db, suppressions, tokenKey };
  const rates = createFormRates(db, tokenKey);

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, request, reply) => {
      const code = error instanceof AppError ? error.code : null;
      const { statusCode = 500 } = error as Partial<FastifyError>;
      const status = code === 'not_found' ? 404 : code === 'bad_request' ? 400 : Math.min(statusCode, 500);
      if (status === 500) log.error({ err: error, route: request.routeOptions.url }, 'public form failed');
      const language = chooseLanguage({}, request.headers['accept-language'], 'en');
      const { noLink, notUnderstood, failed } = textsOf(language).error;
      const { title, text } = status === 404 ? noLink : status < 500 ? notUnderstood : failed;
      if (wantsJson(request)) return reply.code(status).send({ ok: false, message: text });
      return sendPage(reply.code(status), { language, title, content: html`<p>${text}</p>` });
    });

    scope.get('/f/:id', { exposeHeadRoute: true }, async (request, reply) => {
      return showForm(reply, await formOf(request), NO_VALUES, null);
    });
    scope.get('/f/:id/embed.js', { exposeHeadRoute: true }, async (request, reply) => {
      const form = await formOf(request);
      const url = `${origin()}/f/${form.public_id}`;
      const started = startedAt(tokenKey, form, clock.now());
      return reply
        .headers({
          'Content-Type': 'text/javascript; charset=utf-8',
          'Cache-Control': 'public, max-age=300',
          'X-Content-Type-Options': 'nosniff',
          'Cross-Origin-Resource-Policy': 'cross-origin',
        })
        .send(embedScript(form, textsOf(form.language), { url, started }));
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

    scope.get('/u/form/:token', { exposeHeadRoute: true }, async (request, reply) => {
      const { companyId } = tokenOf(request);
      const company = await companies.get(companyId);
      const language = chooseLanguage({}, request.headers['accept-language'], company.language);
      const texts = textsOf(language);
      const content = html`<p>${texts.form.askConfirm(company.name)}</p>
<form method="post"><button>${texts.form.confirmButton}</button></form>`;
      return sendPage(reply, { language, title: texts.confirm.title, content });
    });
    scope.post('/u/form/:token', async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(request);
      const company = await companies.get(companyId);
      const language = chooseLanguage({}, request.headers['accept-language'], company.language);
      const texts = textsOf(language);
      const channel = detail === 2 ? ('sms' as const) : ('email' as const);
      const asked = { companyId, submissionId: subject, channel, ...clientOf(request) };
      const confirmed = await confirmSubmission(deps, asked, clock.now());
      const text = confirmed ? texts.form.done : texts.confirm.nothing;
      return sendPage(reply, { language, title: texts.confirm.title, content: html`<p>${text}</p>` });
    });
  });

  async function postForm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const form = await formOf(request);
    const texts = textsOf(form.language);
    if (!allowSender(request, reply, form)) return refuse(request, reply.code(403), form, texts.form.refused);
    const values = readFields(request.headers['content-type'], request.body);
    const now = clock.now();
    const wait = await rates.take(form, request.ip, now);
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
      return showForm(reply.code(400), form, values, { field, message });
    }
    // A program is told what people are told.
    const isProgram = (values.get(TRAP) ?? '') !== '' || started === 'early';
    if (!isProgram) await takeSubmission(deps, { form, submission: read.submission, ...clientOf(request), now });
    return thank(request, reply, form);
  }

  function thank(request: FastifyRequest, reply: FastifyReply, form: FormRow): FastifyReply {
    const { success_text, double_opt_in, redirect_url } = form;
    const texts = textsOf(form.language);
    const message = success_text ?? (double_opt_in ? texts.form.check : texts.form.done);
    const redirect = redirectOf(form);
    if (wantsJson(request)) return reply.code(200).send({ ok: true, message, redirect_url: redirect && redirect_url });
    if (redirect !== null) return reply.header('Cache-Control', 'no-store').redirect(redirect, 303);
    return sendPage(reply, { ...titleOf(form), content: html`<p role="status">${message}</p>` });
  }

  function showForm(
    reply: FastifyReply,
    form: FormRow,
    values: ReadonlyMap<string, string>,
    wrong: { field: string; message: string } | null,
  ): FastifyReply {
    const started = startedAt(tokenKey, form, clock.now());
    const content = formContent(form, textsOf(form.language), { started, values, wrong });
    const redirect = redirectOf(form);
    // Browsers hold the redirect after a form to form-action, too.
    const policy = PAGE_HEADERS['Content-Security-Policy'].replace(
      "form-action 'self'",
      redirect === null ? "form-action 'self'" : `form-action 'self' ${new URL(redirect).origin}`,
    );
    // With no-referrer the browser would send "Origin: null" with the form.
    const headers = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'same-origin' };
    return sendPage(reply, { ...titleOf(form), content }, headers);
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, form: FormRow, message: string): FastifyReply {
    if (wantsJson(request)) return reply.send({ ok: false, message });
    return sendPage(reply, { ...titleOf(form), content: html`<p role="alert">${message}</p>` });
  }

  /** Whether the page that sends the form may; a page of another site is told so by CORS. */
  function allowSender(request: FastifyRequest, reply: FastifyReply, form: FormRow): boolean {
    reply.header('Vary', 'Origin');
    const sender = senderOf(request.headers, form, origin());
    if (sender === 'allowed') reply.header('Access-Control-Allow-Origin', request.headers.origin);
    return sender !== 'foreign';
  }

  async function formOf(request: FastifyRequest): Promise<FormRow> {
    const { id } = request.params as { id: string };
    const form = /^[\w-]{16}$/.test(id) ? await findPublicForm(db.strangers, id) : undefined;
    if (form === undefined) throw notFound('form');
    return form;
  }

  function tokenOf(request: FastifyRequest): TokenContent {
    const content = readToken(tokenKey, 'form', (request.params as { token: string }).token);
    if (content === null) throw notFound('link');
    return content;
  }
}

function titleOf({ language, name }: FormRow): Pick<PublicPage, 'title'> & { language: Language } {
  return { language, title: name };
}

/** Where people go afterwards; checked again, so that nothing that is stored can send them elsewhere. */
function redirectOf({ redirect_url: url, allowed_origins: allowed }: FormRow): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { origin, href } = new URL(url);
  return allowed.includes(origin) ? href : null;
}

function clientOf(request: FastifyRequest): { ip: string; userAgent: string | undefined } {
  return { ip: request.ip, userAgent: request.headers['user-agent']?.slice(0, 500) };
}

function wantsJson({ headers }: FastifyRequest): boolean {
  return (
    /\bapplication\/json\b/i.test(headers.accept ?? '') || /^application\/json\b/i.test(headers['content-type'] ?? '')
  );
}
