import type { KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../errors.ts';
import { formTag } from '../../../messaging/consent/tokens.ts';
import type { FormRow } from '../queries.ts';

const MAX_FIELDS = 50;

/** The fields of a body, either a form or a flat JSON object of strings. Throws bad_request. */
export function readFields(contentType: string | undefined, body: unknown): Map<string, string> {
  if (typeof body !== 'string') return new Map();
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '')) return limited([...new URLSearchParams(body)]);
  if (!/^application\/json\b/i.test(contentType ?? '')) throw notUnderstood();
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw notUnderstood();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notUnderstood();
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  if (entries.some(([, one]) => typeof one !== 'string')) throw notUnderstood();
  return limited(entries as [string, string][]);
}

function limited(entries: [string, string][]): Map<string, string> {
  if (entries.length > MAX_FIELDS) throw notUnderstood();
  return new Map(entries);
}

function notUnderstood(): AppError {
  return new AppError('bad_request', 'The body must be a form or a flat JSON object of texts');
}

/**
 * `none`: not sent by a page in a browser. `own`: the hosted page. `allowed`, `foreign`: a page of another site. Browsers set these
 * headers on every request of a page, and scripts cannot change them.
 */
export type Sender = 'none' | 'own' | 'allowed' | 'foreign';

export function senderOf({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders, form: FormRow, own: string): Sender {
  if (site === 'same-origin' || origin === new URL(own).origin) return 'own';
  if (origin === undefined) return site === undefined || site === 'none' ? 'none' : 'foreign';
  return form.allowed_origins.includes(origin) ? 'allowed' : 'foreign';
}

/** A page that was open for longer must be reloaded. */
const MAX_AGE_SECONDS = 86_400;

/** The signed time for the field `started`. */
export function startedAt(key: KeyObject, { company_id, id }: FormRow, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  return `${seconds}.${formTag(key, company_id, id, seconds)}`;
}

/** `early`: before `min_fill_seconds`. `none`: not signed for this form, or too old. */
export function checkStarted(
  key: KeyObject,
  { company_id, id, min_fill_seconds: least }: FormRow,
  started: string | undefined,
  now: Date,
): 'ok' | 'early' | 'none' {
  if (least === 0) return 'ok';
  const seconds = Number(/^(\d{1,12})\.[\w-]{11}$/.exec(started ?? '')?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(seconds) || started !== `${seconds}.${formTag(key, company_id, id, seconds)}`)
    return 'none';
  const age = now.getTime() / 1_000 - seconds;
  if (age > MAX_AGE_SECONDS) return 'none';
  return age < least ? 'early' : 'ok';
}
