import { invalidField } from '../../errors.ts';
import { type BounceReport, report } from './bounce-report.ts';
import { isObject, type Json, mailgun, parse, postmark, sendGrid, ses } from './provider-forms.ts';

/** Parses bounce and complaint notifications of mail providers, each in its own format. Pure. */

/** Maximum number of reports of our own format in one request. */
export const MAX_REPORTS = 1_000;

/** Returns the reports in a provider's notification; none if it is about anything else. */
export function readNotification(body: Buffer): BounceReport[] {
  return readReports(parse(body.toString('utf8'))) ?? [];
}

/** Whether a body starts with a header, like a mail; a JSON object or list does not. */
export function isBounceMail(body: Buffer): boolean {
  return /^(?![{[])[!-9;-~]+:/.test(body.toString('latin1', 0, 1_000));
}

/** Returns the reports in a JSON body of one of the formats below; null for anything else. */
export function readBody(body: Buffer): BounceReport[] | null {
  const json = parse(body.toString('utf8'));
  return json === null ? null : readReports(json);
}

/**
 * Returns the reports in a body: our own format `{reports: [{type, email, message_id}]}`, Amazon SES (bare or inside an SNS notification),
 * SendGrid (a list), Mailgun, Postmark. Events other than bounces and complaints are ignored. Returns null for a body in none of these
 * formats. Throws validation_failed for too many reports.
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
