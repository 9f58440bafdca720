import { isOneLine, normaliseEmail, normalisePhone } from '../../../lib/addresses.ts';
import type { Texts } from '../../../messaging/consent/texts-type.ts';
import type { GivenFields } from '../../contacts/consent/signup.ts';
import type { FormRow } from '../queries.ts';

/** A hidden field that only bots fill in. */
export const HONEYPOT = 'company_website';
/** The field with the signed time at which the form was shown. */
export const STARTED = 'started';
const MAX_VALUE = 200;

/** A field of the form as shown. */
export interface Question {
  name: string;
  label: string;
  required: boolean;
  type: 'email' | 'tel' | 'text';
}

/** The fields of the form, in order. */
export function questionsOf({ channels, fields }: Pick<FormRow, 'channels' | 'fields'>, { form }: Texts): Question[] {
  const questions: Question[] = [];
  if (channels.includes('email')) questions.push({ name: 'email', label: form.email, required: true, type: 'email' });
  if (channels.includes('sms') && !fields.some(({ name }) => name === 'phone')) {
    questions.push({ name: 'phone', label: form.phone, required: !channels.includes('email'), type: 'tel' });
  }
  for (const { name, label, required = false } of fields) {
    if (name === 'phone') {
      const needed = required || !channels.includes('email');
      questions.push({ name, label: label ?? form.phone, required: needed, type: 'tel' });
    } else questions.push({ name, label: label ?? usualLabel(name, form), required, type: 'text' });
  }
  return questions;
}

function usualLabel(name: string, form: Texts['form']): string {
  if (name === 'first_name' || name === 'last_name') return form[name];
  const words = name.slice(name.indexOf('.') + 1).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The validated values of a submission. */
export interface Submission {
  email: string | null;
  phone: string | null;
  given: GivenFields;
}

export type Read = { ok: true; submission: Submission } | { ok: false; field: string; message: string };

/** Validates the values of a submission. Ignores fields that the form does not have. */
export function readSubmission(
  form: Pick<FormRow, 'channels' | 'fields'>,
  values: ReadonlyMap<string, string>,
  texts: Texts,
  country: string,
): Read {
  const submission: Submission = { email: null, phone: null, given: {} };
  const properties: [string, string][] = [];
  for (const { name, label, required } of questionsOf(form, texts)) {
    const value = (values.get(name) ?? '').trim();
    if (value === '') {
      if (required) return { ok: false, field: name, message: texts.form.missing(label) };
      continue;
    }
    const wrong = { ok: false, field: name, message: texts.form.invalid(label) } as const;
    if (name === 'email') {
      submission.email = normaliseEmail(value);
      if (submission.email === null) return wrong;
    } else if (name === 'phone') {
      submission.phone = normalisePhone(value, country);
      if (submission.phone === null) return wrong;
    } else if (value.length > MAX_VALUE || !isOneLine(value)) return wrong;
    else if (name === 'first_name' || name === 'last_name') submission.given[name] = value;
    else properties.push([name.slice(name.indexOf('.') + 1), value]);
  }
  if (submission.phone !== null) submission.given.phone = submission.phone;
  if (properties.length > 0) submission.given.properties = Object.fromEntries(properties);
  return { ok: true, submission };
}
