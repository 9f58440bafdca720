import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../../lib/html.ts';
import type { Language } from '../../../messaging/consent/languages.ts';
import { type PublicPage, sendPage } from '../../../messaging/consent/page.ts';
import { textsOf } from '../../../messaging/consent/texts.ts';
import type { Texts } from '../../../messaging/consent/texts-type.ts';
import type { ShownLook } from '../look.ts';
import type { FormRow } from '../queries.ts';
import { HONEYPOT, type Question, questionsOf, STARTED } from './submission.ts';

interface FormState {
  /** The signed time at which the form is shown. */
  started: string;
  /** The values entered before. */
  values: ReadonlyMap<string, string>;
  /** The field that was rejected. */
  wrong: { field: string; message: string } | null;
}

/** Shows the form as a separate page, which works without scripts. */
export function showForm(reply: FastifyReply, form: FormRow, look: ShownLook, state: FormState): FastifyReply {
  const content = formContent(form, look, textsOf(form.language), state);
  const redirect = redirectOf(form);
  const leads = redirect === null ? {} : { leadsTo: new URL(redirect).origin };
  // With no-referrer the browser would send "Origin: null" with the form.
  return sendPage(reply, { ...titleOf(form), content, look, ...leads }, { 'Referrer-Policy': 'same-origin' });
}

export function titleOf({ language, name, look }: FormRow): Pick<PublicPage, 'title'> & { language: Language } {
  return { language, title: look.title || name };
}

/** The redirect after the form. Checked again here, so that no stored value can lead to a foreign site. */
export function redirectOf({ redirect_url: url, allowed_origins: allowed }: FormRow): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { origin, href } = new URL(url);
  return allowed.includes(origin) ? href : null;
}

function formContent(form: FormRow, look: ShownLook, texts: Texts, { started, values, wrong }: FormState): Html {
  const { submit, trap } = texts.form;
  const rows = questionsOf(form, texts).map((question) => {
    return row(question, values.get(question.name) ?? '', wrong?.field === question.name, texts);
  });
  return html`${look.text ? html`<p>${look.text}</p>` : null}${wrong === null ? null : html`<p role="alert" id="wrong">${wrong.message}</p>`}
<form method="post" action="/f/${form.public_id}">
${rows}
<p class="trap" aria-hidden="true"><label>${trap} <input name="${HONEYPOT}" tabindex="-1" autocomplete="off"></label></p>
<input type="hidden" name="${STARTED}" value="${started}">
<p>${form.consent_text}</p>
<button>${look.button || submit}</button></form>`;
}

const AUTOCOMPLETE: Record<string, string> = {
  email: 'email',
  phone: 'tel',
  first_name: 'given-name',
  last_name: 'family-name',
};

function row({ name, label, required, type }: Question, value: string, isWrong: boolean, { form }: Texts): Html {
  const note = required ? html` (${form.required})` : null;
  const state = isWrong ? html` aria-invalid="true" aria-describedby="wrong"` : null;
  return html`<label>${label}${note}<input type="${type}" name="${name}" value="${value}" maxlength="254" autocomplete="${AUTOCOMPLETE[name] ?? 'off'}"${required ? html` required` : null}${state}></label>
`;
}
