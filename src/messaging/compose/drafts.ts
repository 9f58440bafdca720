import type { KeyObject } from 'node:crypto';
import { readSender } from '../../lib/addresses.ts';
import { signToken } from '../consent/tokens.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Source } from './content/source.ts';
import type { JsonValue, RenderContext } from './liquid/engine.ts';
import { messageIdEnd, messageIdOf } from './message-ids.ts';
import type { EmailContent, NamedAddress } from './mime/email-content.ts';
import type { SingleMessage } from './single-messages.ts';

/** A message with everything needed to compose it. */
export interface Draft {
  message: ClaimedMessage;
  source: Source;
  to: string;
  contactId: number | null;
  contact: JsonValue;
  /** Variables of this message only. */
  own: RenderContext;
}

/** The headers of an e-mail that are known before anything is rendered. */
export type EmailHead = Omit<EmailContent, 'subject' | 'previewText' | 'html' | 'text'> & {
  headers: Record<string, string>;
};

export interface Addresses {
  tokenKey: KeyObject;
  /** Base URL of the public pages, without a trailing slash. */
  base: string;
}

/** A test sent to one's own address may be rendered with the values of a chosen contact. */
export function testedContact(origin: ClaimedMessage['origin']): number | null {
  const id = origin.kind === 'system' ? origin.data.as_contact_id : null;
  return typeof id === 'number' ? id : null;
}

/** Returns the company variables that every template may use. */
export function sharedOf({ name, currency }: SendingCompany): RenderContext {
  return { name, currency };
}

/** Parses `Name <address>` or an address; null stands for the company's own sender. */
export function senderOf(given: string | null, company: SendingCompany): NamedAddress {
  if (given === null || given.trim() === '') return { name: company.from_name, address: company.from_email };
  // An invalid address is rejected with the name of its field (see mime.ts).
  const { name, address } = readSender(given) ?? { name: '', address: given };
  return { name: given.includes('<') ? name : company.from_name, address };
}

/** Builds the input for composing a single message. */
export function singleOf(company: SendingCompany, draft: Draft, addresses: Addresses, now: Date) {
  const { message, source, contact, own } = draft;
  const unsubscribeUrl = unsubscribeUrlOf(draft, addresses);
  const urls = { unsubscribe_url: unsubscribeUrl, preferences_url: unsubscribeUrl, ...confirmUrl(message, addresses) };
  const context: RenderContext = { contact, company: sharedOf(company), ...urls, ...source.context, ...own };
  if (message.channel === 'sms') return { head: null, single: { messageId: message.id, context, email: null } };
  const footer = isMarketing(message) ? unsubscribeUrl : null;
  const head = headOf(company, draft, footer, now);
  const single: SingleMessage = {
    messageId: message.id,
    context,
    email: {
      subject: source.subject ?? '',
      previewText: source.previewText ?? '',
      from: head.from,
      to: draft.to,
      replyTo: company.reply_to,
      headers: head.headers,
      id: head.messageId,
      footer,
      track: message.contactId !== null,
    },
  };
  return { head, single };
}

function headOf(company: SendingCompany, { message, source, to }: Draft, leave: string | null, now: Date): EmailHead {
  const from = senderOf(source.sender, company);
  const oneClick = { 'List-Unsubscribe': `<${leave}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return {
    from,
    to: { address: to },
    replyTo: company.reply_to === null ? undefined : { address: company.reply_to },
    headers: leave === null ? {} : oneClick,
    messageId: messageIdOf(message.id, messageIdEnd(company, from.address)),
    date: now,
  };
}

const TESTS: ReadonlySet<string> = new Set(['campaign_test', 'template_test']);

function isTest({ origin }: ClaimedMessage): boolean {
  return origin.kind === 'system' && TESTS.has(origin.template);
}

/** Whether the message needs unsubscribe links. A test is treated like the message that it tests. */
function isMarketing(message: ClaimedMessage): boolean {
  return !message.transactional || isTest(message);
}

function unsubscribeUrlOf({ message, contactId }: Draft, { tokenKey, base }: Addresses): string | null {
  const { companyId, id } = message;
  // The links of a test must not unsubscribe the contact whose values it shows.
  const whose = isTest(message) ? { subject: 0, detail: 0 } : { subject: contactId, detail: id };
  if (whose.subject === null) return null;
  return `${base}/u/${signToken(tokenKey, 'unsubscribe', { companyId, subject: whose.subject, detail: whose.detail })}`;
}

function confirmUrl(message: ClaimedMessage, { tokenKey, base }: Addresses): RenderContext {
  const { companyId, id, contactId, channel, origin } = message;
  if (contactId === null || origin.kind !== 'system') return {};
  const submission = origin.data.form_submission_id;
  if (typeof submission === 'number') {
    const asked = { companyId, subject: submission, detail: channel === 'email' ? 1 : 2 };
    return { confirm_url: `${base}/u/form/${signToken(tokenKey, 'form', asked)}` };
  }
  if (typeof origin.data.list_id !== 'number') return {};
  const whose = { companyId, subject: id, detail: origin.data.list_id };
  return { confirm_url: `${base}/u/confirm/${signToken(tokenKey, 'confirmation', whose)}` };
}
