import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import { type PageFailure, pageFailure } from '../../http/pages/page-failure.ts';
import { html } from '../../lib/html.ts';
import { trackingPages } from '../feedback/tracking-pages.ts';
import type { Messaging } from '../service.ts';
import { ANY_LIST, type ConfirmationLink } from './confirmation-links.ts';
import { chooseLanguage } from './languages.ts';
import { type PageLook, type PublicPage, sendPage } from './page.ts';
import { tokenOf } from './page-token.ts';
import { preferenceContent } from './preference-page.ts';
import type { LinkOwner } from './preference-queries.ts';
import { readPreferenceRequest } from './preference-request.ts';
import type { ConsentService } from './service.ts';
import { textsOf } from './texts.ts';

export interface MessagingPagesDeps {
  clock: Clock;
  log: Logger;
  consent: ConsentService;
  messaging: Pick<Messaging, 'companies' | 'activity' | 'tokenKey'>;
  brandKit: { lookOf(companyId: number): Promise<PageLook> };
}

const BODY_LIMIT = 16_384;

/**
 * The pages that links in messages lead to: preferences and unsubscribing, confirmations, open and click tracking. The signed
 * token in the URL authorizes; there are no cookies. GET requests change nothing but opens and clicks, because mail programs
 * prefetch links.
 */
export function messagingPages(server: FastifyInstance, deps: MessagingPagesDeps): void {
  void server.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, ofLinks: true };
    });
    scope.removeAllContentTypeParsers();
    // RFC 8058 allows both form encodings for one-click requests.
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (request, body, done) => {
      const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
      done(null, new URLSearchParams(form ? (body as string) : ''));
    });
    scope.setErrorHandler((error, request, reply) => {
      const failure = pageFailure(deps.log, error, request);
      return sendPage(reply.code(failure.status).headers(failure.headers), failurePage(failure, request));
    });
    scope.get('/u/:token', async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(deps.messaging.tokenKey, request, 'unsubscribe');
      const owner = { contactId: subject, messageId: detail };
      return sendPage(reply, await preferencesPage(deps, request, companyId, owner, false));
    });
    scope.post('/u/:token', async (request, reply) => {
      const { companyId, subject, detail } = tokenOf(deps.messaging.tokenKey, request, 'unsubscribe');
      const owner = { contactId: subject, messageId: detail };
      const change = readPreferenceRequest(formOf(request));
      const by = { ip: request.ip, userAgent: request.headers['user-agent']?.slice(0, 500) };
      await deps.consent.changePreferences(companyId, owner, change, by, deps.clock.now());
      return sendPage(reply, await preferencesPage(deps, request, companyId, owner, true));
    });
    scope.get('/u/confirm/:token', async (request, reply) => {
      const { companyId, listId } = confirmationOf(deps, request);
      const { company, language, texts, look } = await pageFor(deps, request, companyId);
      const { title } = texts.confirm;
      const isOfList = listId !== ANY_LIST;
      const ask = isOfList ? texts.confirm.ask : texts.form.askConfirm(company.name);
      const button = isOfList ? texts.confirm.button : texts.form.confirmButton;
      const content = html`<p>${ask}</p>
<form method="post"><button>${button}</button></form>`;
      return sendPage(reply, { language, title, content, look });
    });
    scope.post('/u/confirm/:token', async (request, reply) => {
      const link = confirmationOf(deps, request);
      const { companyId, listId } = link;
      const confirmed = await deps.consent.confirm(link, {
        now: deps.clock.now(),
        ip: request.ip,
        userAgent: request.headers['user-agent']?.slice(0, 500),
      });
      const { language, texts, look } = await pageFor(deps, request, companyId);
      const { title, nothing } = texts.confirm;
      const { done } = listId === ANY_LIST ? texts.form : texts.confirm;
      return sendPage(reply, { language, title, content: html`<p>${confirmed ? done : nothing}</p>`, look });
    });
    trackingPages(scope, deps);
  });
}

function confirmationOf(deps: MessagingPagesDeps, request: FastifyRequest): ConfirmationLink {
  const { companyId, subject, detail } = tokenOf(deps.messaging.tokenKey, request, 'confirmation');
  return { companyId, listId: detail, messageId: subject };
}

function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

/** In the language of the browser, because the contact is unknown. */
function failurePage({ status, shown }: PageFailure, request: FastifyRequest): PublicPage {
  const language = chooseLanguage({}, request.headers['accept-language'], 'en');
  const { noLink, notUnderstood, failed } = textsOf(language).error;
  const { title, text } = status === 404 ? noLink : status < 500 ? notUnderstood : failed;
  const detail = shown?.code === 'bad_request' ? shown.message : text;
  return { language, title, content: html`<p>${detail}</p>` };
}

/** What a page of the company needs. */
async function pageFor(
  deps: MessagingPagesDeps,
  request: FastifyRequest,
  companyId: number,
  properties: Record<string, unknown> = {},
) {
  const [company, look] = await Promise.all([deps.messaging.companies.get(companyId), deps.brandKit.lookOf(companyId)]);
  const language = chooseLanguage(properties, request.headers['accept-language'], company.language);
  return { company, language, texts: textsOf(language), look };
}

async function preferencesPage(
  deps: MessagingPagesDeps,
  request: FastifyRequest,
  companyId: number,
  owner: LinkOwner,
  saved: boolean,
): Promise<PublicPage> {
  const shown = await deps.consent.preferencesOf(companyId, owner);
  const { company, language, texts, look } = await pageFor(deps, request, companyId, shown?.properties);
  const { title, nobody } = texts.preferences;
  if (shown === null) return { language, title, content: html`<p>${nobody}</p>`, look };
  const options = { language, lessOftenDays: company.less_often_days, saved, now: deps.clock.now() };
  return { language, title, content: preferenceContent(shown, texts, options), look };
}
