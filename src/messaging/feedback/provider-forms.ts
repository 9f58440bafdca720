import { MESSAGE_ID_FIELD } from '../send/transports/api/options.ts';
import { type BounceReport, report } from './bounce-report.ts';

export type Json = Record<string, unknown>;

/** Refused because of the message itself: says nothing about the address. */
const SES_FAULT_OF_MESSAGE = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected']);

export function ses(message: unknown): BounceReport[] | null {
  if (!isObject(message)) return null;
  const mail = isObject(message.mail) ? message.mail : {};
  const headers = isObject(mail.commonHeaders) ? mail.commonHeaders : {};
  const type = message.notificationType ?? message.eventType;
  if (type === 'Bounce' && isObject(message.bounce)) {
    if (SES_FAULT_OF_MESSAGE.has(textOf(message.bounce.bounceSubType))) return [];
    const kind = message.bounce.bounceType === 'Permanent' ? 'hard' : 'soft';
    return addresses(message.bounce.bouncedRecipients).flatMap((email) => report(kind, email, headers.messageId));
  }
  // Someone moved a mail out of the spam folder: the opposite of a complaint.
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

/** Why SendGrid drops a message without trying: earlier feedback on the address, its own or other customers'. */
const SENDGRID_DROPS = new Map<string, BounceReport['kind']>([
  ['Bounced Address', 'hard'],
  ['Invalid', 'hard'],
  ['Spam Reporting Address', 'complaint'],
]);

export function sendGrid(event: Json): BounceReport[] {
  const messageId = event[MESSAGE_ID_FIELD] ?? event['smtp-id'];
  if (event.event === 'spamreport') return report('complaint', event.email, messageId);
  if (event.event === 'dropped') {
    const kind = SENDGRID_DROPS.get(textOf(event.reason));
    return kind === undefined ? [] : report(kind, event.email, messageId);
  }
  if (event.event !== 'bounce') return [];
  // SendGrid calls a refusal for reputation or content a block: the address may be good.
  return report(event.type === 'blocked' ? 'soft' : 'hard', event.email, messageId);
}

export function mailgun(event: Json): BounceReport[] {
  const message = isObject(event.message) && isObject(event.message.headers) ? event.message.headers : {};
  if (event.event === 'complained') return report('complaint', event.recipient, message['message-id']);
  if (event.event !== 'failed') return [];
  const known = MAILGUN_REASONS.get(textOf(event.reason));
  const kind = known === undefined && event.severity === 'permanent' ? 'hard' : known;
  return kind ? report(kind, event.recipient, message['message-id']) : [];
}

/**
 * A temporary failure is one of up to seven attempts at a message and not yet a soft bounce. The last one, after which the message is too
 * old, is.
 */
const MAILGUN_REASONS = new Map<string, BounceReport['kind'] | null>([
  ['old', 'soft'],
  ['espblock', 'soft'],
  ['suppress-complaint', 'complaint'],
  // About Mailgun's own unsubscribe links, not ours.
  ['suppress-unsubscribe', null],
]);

/** Postmark's bounce types that are bounces. Its others are not: out-of-office replies, challenges, changes of address. */
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

export function postmark(body: Json): BounceReport[] {
  // Set by this program when sending through the API; a mail sent by SMTP has none.
  const messageId = isObject(body.Metadata) ? body.Metadata[MESSAGE_ID_FIELD] : null;
  if (body.RecordType === 'SpamComplaint') return report('complaint', body.Email, messageId);
  if (body.RecordType !== 'Bounce') return [];
  const kind = POSTMARK_KINDS.get(textOf(body.Type));
  return kind === undefined ? [] : report(kind, body.Email, messageId);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
