import { type Html, html } from '../../../lib/html.ts';
import type { Texts } from '../../../messaging/consent/texts-type.ts';
import type { FormRow } from '../queries.ts';
import { type Question, questionsOf, STARTED, TRAP } from './submission.ts';

/** The form on its own page: works without scripts. What was entered wrongly is named, and nothing of it is lost. */
export function formContent(
  form: FormRow,
  texts: Texts,
  {
    started,
    values,
    wrong,
  }: { started: string; values: ReadonlyMap<string, string>; wrong: { field: string; message: string } | null },
): Html {
  const { submit, trap } = texts.form;
  const rows = questionsOf(form, texts).map((question) => {
    return row(question, values.get(question.name) ?? '', wrong?.field === question.name, texts);
  });
  return html`${wrong === null ? null : html`<p role="alert" id="wrong">${wrong.message}</p>`}
<form method="post" action="/f/${form.public_id}">
${rows}
<p class="trap" aria-hidden="true"><label>${trap} <input name="${TRAP}" tabindex="-1" autocomplete="off"></label></p>
<input type="hidden" name="${STARTED}" value="${started}">
<p>${form.consent_text}</p>
<button>${submit}</button></form>`;
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
