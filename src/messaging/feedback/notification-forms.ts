import { invalidField } from '../../errors.ts';
import { type BounceReport, report } from './bounce-report.ts';
import { isObject, type Json, mailgun, parse, postmark, sendGrid, ses } from './provider-forms.ts';

/** Reads what mail providers tell of bounces and complaints, each in its own form. Pure. */

/** Reports of our own form in one request at most. */
export const MAX_REPORTS = 1_000;

/** The reports in a provider's notification; none in one about anything else. */
export function readNotification(body: Buffer): BounceReport[] {
  return readReports(parse(body.toString('utf8'))) ?? [];
}

/** Whether a body begins as a mail does, with a header; JSON of an object or a list does not. */
export function isBounceMail(body: Buffer): boolean {
  return /^(?![{[])[!-9;-~]+:/.test(body.toString('latin1', 0, 1_000));
}

/** The reports in a body of JSON of one of the forms below. Null for anything else. */
export function readBody(body: Buffer): BounceReport[] | null {
  const json = parse(body.toString('utf8'));
  return json === null ? null : readReports(json);
}

/**
 * The reports in a body: our own form `{reports: [{type, email, message_id}]}`, Amazon SES (bare or inside an SNS
 * notification), SendGrid (a list), Mailgun, Postmark. What a form says besides bounces and complaints is left out. Null
 * for a body of none of these forms. Throws validation_failed for too many.
 */
export function readReports(body: unknown): BounceReport[] | null {
  if (Array.isArray(body)) return body.flatMap((event) => (isObject(event) ? sendGrid(event) : []));
  if (!isObject(body)) return null;
  if (Array.isArray(body.reports)) {
    if (body.reports.length > MAX_REPORTS)
      throw invalidField('reports', `reports holds at most ${MAX_REPORTS} reports`);
    return body.reports.flatMap((report) => (isObject(report) ? own(report) : []));
  }
  if (isObject(body['event-data'])) return mailgun(body['event-data']);
  if (typeof body.RecordType === 'string') return postmark(body);
  if (body.Type === 'Notification' && typeof body.Message === 'string') return ses(parse(body.Message));
  if (body.notificationType !== undefined || body.eventType !== undefined) return ses(body);
  return null;
}

function own({ type, email, message_id }: Json): BounceReport[] {
  const kind = type === 'bounce' ? 'hard' : type;
  if (kind !== 'hard' && kind !== 'soft' && kind !== 'complaint') return [];
  return report(kind, email, message_id);
}
