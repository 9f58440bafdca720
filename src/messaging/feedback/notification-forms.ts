import { invalidField } from '../../errors.ts';

/** Reads what mail providers tell of bounces and complaints, each in its own form. Pure. */

export interface BounceReport {
  /** soft: for now only; complaint: the recipient called it spam. */
  kind: 'hard' | 'soft' | 'complaint';
  /** As the provider writes it. */
  email: string;
  /** The Message-ID header of the mail, where the provider passes it on. */
  messageId: string | null;
}

type Json = Record<string, unknown>;

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

/** Refused for what the message was: they say nothing of the address. */
const SES_FAULT_OF_MESSAGE = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected']);

function ses(message: unknown): BounceReport[] | null {
  if (!isObject(message)) return null;
  const mail = isObject(message.mail) ? message.mail : {};
  const headers = isObject(mail.commonHeaders) ? mail.commonHeaders : {};
  const type = message.notificationType ?? message.eventType;
  if (type === 'Bounce' && isObject(message.bounce)) {
    if (SES_FAULT_OF_MESSAGE.has(textOf(message.bounce.bounceSubType))) return [];
    const kind = message.bounce.bounceType === 'Permanent' ? 'hard' : 'soft';
    return addresses(message.bounce.bouncedRecipients).flatMap((email) => report(kind, email, headers.messageId));
  }
  // Somebody takes a mail out of the spam folder: the opposite of a complaint.
  const taken = isObject(message.complaint) && message.complaint.complaintFeedbackType === 'not-spam';
  if (type === 'Complaint' && isObject(message.complaint) && !taken) {
    return addresses(message.complaint.complainedRecipients).flatMap((email) =>
      report('complaint', email, headers.messageId),
    );
  }
  return [];
}

function addresses(recipients: unknown): unknown[] {
  return Array.isArray(recipients) ? recipients.map((one) => (isObject(one) ? one.emailAddress : null)) : [];
}

/** Why SendGrid does not even try any more, from what it heard of the address before, or of others. */
const SENDGRID_DROPS = new Map<string, BounceReport['kind']>([
  ['Bounced Address', 'hard'],
  ['Invalid', 'hard'],
  ['Spam Reporting Address', 'complaint'],
]);

function sendGrid(event: Json): BounceReport[] {
  if (event.event === 'spamreport') return report('complaint', event.email, event['smtp-id']);
  if (event.event === 'dropped') {
    const kind = SENDGRID_DROPS.get(textOf(event.reason));
    return kind === undefined ? [] : report(kind, event.email, event['smtp-id']);
  }
  if (event.event !== 'bounce') return [];
  // SendGrid calls a refusal for reputation or content a block: the address may be good.
  return report(event.type === 'blocked' ? 'soft' : 'hard', event.email, event['smtp-id']);
}

function mailgun(event: Json): BounceReport[] {
  const message = isObject(event.message) && isObject(event.message.headers) ? event.message.headers : {};
  if (event.event === 'complained') return report('complaint', event.recipient, message['message-id']);
  if (event.event !== 'failed') return [];
  const known = MAILGUN_REASONS.get(textOf(event.reason));
  const kind = known === undefined && event.severity === 'permanent' ? 'hard' : known;
  return kind ? report(kind, event.recipient, message['message-id']) : [];
}

/**
 * A temporary failure is one attempt of up to seven at one message, and no soft bounce yet: the last, for which the message
 * was too old, is.
 */
const MAILGUN_REASONS = new Map<string, BounceReport['kind'] | null>([
  ['old', 'soft'],
  ['espblock', 'soft'],
  ['suppress-complaint', 'complaint'],
  // Of Mailgun's own links to unsubscribe, which are not ours.
  ['suppress-unsubscribe', null],
]);

/** Postmark's names of bounces. What it calls so as well and is none: absence notes, challenges, changes of address. */
const POSTMARK_KINDS = new Map<string, BounceReport['kind']>([
  ['HardBounce', 'hard'],
  ['BadEmailAddress', 'hard'],
  ['ManuallyDeactivated', 'hard'],
  ['SoftBounce', 'soft'],
  ['Transient', 'soft'],
  ['DnsError', 'soft'],
  ['Blocked', 'soft'],
  ['SpamComplaint', 'complaint'],
]);

function postmark(body: Json): BounceReport[] {
  if (body.RecordType === 'SpamComplaint') return report('complaint', body.Email, null);
  if (body.RecordType !== 'Bounce') return [];
  const kind = POSTMARK_KINDS.get(textOf(body.Type));
  return kind === undefined ? [] : report(kind, body.Email, null);
}

function report(kind: BounceReport['kind'], email: unknown, messageId: unknown): BounceReport[] {
  if (typeof email !== 'string' || email.length > 320) return [];
  return [{ kind, email, messageId: typeof messageId === 'string' ? messageId.slice(0, 998) : null }];
}

/** The message of the ledger that a Message-ID of ours names, for this company only. */
export function ledgerIdOf(messageId: string | null, companyId: number): number | null {
  const match = /^<?m([1-9]\d{0,15})\.c([1-9]\d{0,15})@/.exec(messageId?.trim() ?? '');
  return match !== null && Number(match[2]) === companyId ? Number(match[1]) : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
