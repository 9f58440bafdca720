import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { html } from '../../../lib/html.ts';
import { chooseLanguage } from '../../../messaging/consent/languages.ts';
import { sendPage } from '../../../messaging/consent/page.ts';
import { tokenOf } from '../../../messaging/consent/page-token.ts';
import { textsOf } from '../../../messaging/consent/texts.ts';
import type { Messaging } from '../../../messaging/service.ts';
import type { BrandKitService } from '../../templates/brand/service.ts';
import { confirmSubmission } from './confirmation.ts';
import { clientOf } from './outcome-page.ts';

interface ConfirmationPageDeps {
  db: Db;
  clock: Clock;
  messaging: Pick<Messaging, 'companies' | 'suppressions' | 'tokenKey'>;
  brandKit: Pick<BrandKitService, 'lookOf'>;
}

const OF_LINKS = { ofLinks: true } as const;

/** The page behind the link of a confirmation message: GET shows a button, POST confirms. */
export function registerConfirmationPage(
  scope: FastifyInstance,
  { db, clock, messaging, brandKit }: ConfirmationPageDeps,
): void {
  const { tokenKey, suppressions, companies } = messaging;

  scope.get('/u/form/:token', { config: OF_LINKS }, async (request, reply) => {
    const { companyId } = tokenOf(tokenKey, request, 'form');
    const [company, look] = await Promise.all([companies.get(companyId), brandKit.lookOf(companyId)]);
    const language = chooseLanguage({}, request.headers['accept-language'], company.language);
    const texts = textsOf(language);
    const content = html`<p>${texts.form.askConfirm(company.name)}</p>
<form method="post"><button>${texts.form.confirmButton}</button></form>`;
    return sendPage(reply, { language, title: texts.confirm.title, content, look });
  });

  scope.post('/u/form/:token', { config: OF_LINKS }, async (request, reply) => {
    const { companyId, subject, detail } = tokenOf(tokenKey, request, 'form');
    const [company, look] = await Promise.all([companies.get(companyId), brandKit.lookOf(companyId)]);
    const language = chooseLanguage({}, request.headers['accept-language'], company.language);
    const texts = textsOf(language);
    const channel = detail === 2 ? ('sms' as const) : ('email' as const);
    const asked = { companyId, submissionId: subject, channel, ...clientOf(request) };
    const confirmed = await confirmSubmission({ db, suppressions, tokenKey }, asked, clock.now());
    const text = confirmed ? texts.form.done : texts.confirm.nothing;
    return sendPage(reply, { language, title: texts.confirm.title, content: html`<p>${text}</p>`, look });
  });
}
