import { invalidField } from '../../../errors.ts';
import { normaliseEmail } from '../../../lib/addresses.ts';

export interface NamedAddress {
  name?: string;
  address: string;
}

export interface EmailContent {
  from: NamedAddress;
  to: NamedAddress;
  replyTo?: NamedAddress;
  /** One line; see `singleLine`. */
  subject: string;
  /** Shown by mail programs next to the subject; hidden at the start of the HTML. */
  previewText?: string;
  /** At least one of the two is set. A missing text part is generated from the HTML. */
  html?: string;
  text?: string;
  /** Further headers, such as List-Unsubscribe; headers that this module sets itself are refused. */
  headers?: Record<string, string>;
  /** `<unique@domain>`, the same for every attempt to hand over one message. */
  messageId: string;
  date: Date;
}

/**
 * Returns what a company's Message-IDs of one sender have in common, after the message's own id. Ids begin at 1 in every database; the
 * moment at which the company was created distinguishes databases that send from one domain, such as a shop and its trial installation.
 */
export function messageIdEnd({ companyId, createdAt }: { companyId: number; createdAt: Date }, from: string): string {
  return `.c${companyId}.${createdAt.getTime().toString(36)}@${from.slice(from.lastIndexOf('@') + 1)}`;
}

/** The Message-ID header; the same at each attempt. `ledgerIdOf` reads it back from a bounce report. */
export function messageIdOf(id: number, end: string): string {
  return `<m${id}${end}>`;
}

const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,60}$/;
const OWN_HEADERS =
  /^(from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|return-path|received|dkim-signature|content-.*|resent-.*)$/i;
const MESSAGE_ID = /^<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+>$/;
/** Control characters (CR, LF and NUL among them), Unicode line ends, and halves of surrogate pairs. */
const UNFIT_FOR_HEADER = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
/** Below the 998 bytes of RFC 5322, with room for the header name, because a long URL cannot be folded. */
const MAX_HEADER = 900;

/** Makes a rendered text fit for a header: every run of white space and control characters becomes one space. */
export function singleLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
}

/** Returns the values of the headers. Throws `validation_failed` if one contains anything that could end it or start another. */
export function checkHead(content: EmailContent) {
  if (content.html === undefined && content.text === undefined)
    throw invalidField('content', 'An e-mail needs HTML or text');
  if (!MESSAGE_ID.test(content.messageId)) throw invalidField('message_id', 'A Message-ID looks like <unique@domain>');
  return {
    from: checkAddress('from', content.from),
    to: checkAddress('to', content.to),
    replyTo: content.replyTo && checkAddress('reply_to', content.replyTo),
    subject: checkHeader('subject', content.subject),
    headers: checkHeaders(content.headers ?? {}),
    messageId: content.messageId,
    date: content.date,
  };
}

function checkHeader(field: string, value: string): string {
  if (UNFIT_FOR_HEADER.test(value)) {
    throw invalidField(field, `${field} contains a line break or another control character`);
  }
  if (Buffer.byteLength(value) > MAX_HEADER) throw invalidField(field, `${field} is longer than ${MAX_HEADER} bytes`);
  return value;
}

function checkAddress(field: string, { name, address }: NamedAddress): { name: string; address: string } {
  const normalised = normaliseEmail(checkHeader(field, address));
  if (normalised === null) throw invalidField(field, `${field} is not an e-mail address`);
  return { name: checkHeader(field, name ?? ''), address: normalised };
}

function checkHeaders(headers: Record<string, string>): { key: string; value: string }[] {
  return Object.entries(headers).map(([key, value]) => {
    if (!HEADER_NAME.test(key) || OWN_HEADERS.test(key))
      throw invalidField('headers', 'A header has a name that is not allowed');
    return { key, value: checkHeader(`headers.${key}`, value) };
  });
}
