import type { KeyObject } from 'node:crypto';
import { monotonicMs } from '../../../clock.ts';
import { AppError } from '../../../errors.ts';
import { createTextCache } from '../../../lib/text-cache.ts';
import { serveJobs } from '../../../lib/threads/port.ts';
import { signToken } from '../../consent/tokens.ts';
import type { NewLink } from '../content/content-queries.ts';
import { isVetted, type JsonValue, type RenderContext, renderTemplate } from '../liquid/engine.ts';
import { messageIdOf } from '../message-ids.ts';
import type { DkimKey } from '../mime/dkim.ts';
import type { EmailContent, NamedAddress } from '../mime/email-content.ts';
import { assembleMessage } from '../mime/encode-message.ts';
import { singleLine } from '../mime/headers.ts';
import { makeSingles, type SingleJob, type SingleResult, SLICE_MS } from '../single-messages.ts';
import { MOST_BYTES } from '../slices.ts';
import { type CampaignForm, fillForm, formOf } from './campaign-form.ts';
import { betweenValues, mayHavePlaceholders, PLACEHOLDERS, splitValues, valuesBetween } from './placeholders.ts';

/** A batch of a campaign's messages with everything needed to compose them. */
export interface BulkJob {
  kind: 'form';
  companyId: number;
  template: { html: string; subject: string; previewText: string };
  /** Template variables in addition to the contact and the unsubscribe links. */
  context: RenderContext;
  from: NamedAddress;
  replyTo: NamedAddress | undefined;
  messageIdEnd: string;
  date: Date;
  dkim: DkimKey | undefined;
  /** Base URL of the public pages, what is tracked, and the names of the link addresses known so far. */
  base: string;
  clicks: boolean;
  opens: boolean;
  links: [url: string, name: string][];
  tokenKey: KeyObject;
  /** BulkRecipient[] as JSON: copying objects between threads takes four times as long. */
  recipients: string;
}

export interface BulkRecipient {
  messageId: number;
  contactId: number;
  to: string;
  contact: JsonValue;
  own: RenderContext;
}

/**
 * `aside`: this message cannot be made from a form and is composed individually. `unknown`: the whole job must be repeated once these
 * addresses have names.
 */
export type BulkJobResult =
  | { unknown: string[] }
  | { bytes: Uint8Array<ArrayBuffer>; mails: BulkMailPlace[] }
  | { wanted: NewLink[] }
  | { bytes: Uint8Array<ArrayBuffer>; singles: (Exclude<SingleResult, { kind: 'raw' }> | LinkedPlace)[] };
type LinkedPlace = Place & { linked: boolean };
interface Place {
  from: number;
  to: number;
}
/** The position of a mail in the result's bytes. */
export type BulkMailPlace = Place | { failed: string; line: number | null } | 'aside';
type Made = { raw: Buffer } | Exclude<BulkMailPlace, { from: number }>;

/** Cached forms, keyed by everything they depend on. `aside`: these mails are composed individually. */
const forms = createTextCache<CampaignForm | 'aside'>(200, 16_000_000);

class UnknownLinks {
  readonly urls: string[];
  constructor(urls: string[]) {
    this.urls = urls;
  }
}

function knownForm(job: BulkJob, skeleton: string, preview: boolean): CampaignForm | 'aside' {
  const { companyId, base, clicks, opens } = job;
  const key = `${companyId} ${base} ${clicks} ${opens} ${preview} ${skeleton}`;
  const known = forms.get(key);
  if (known !== undefined) return known;
  const names = new Map(job.links);
  const form = formOf(skeleton, { base, clicks, opens, preview, nameOf: (address) => names.get(address) });
  if (form !== 'aside' && 'unknown' in form) throw new UnknownLinks(form.unknown);
  forms.set(key, form, { size: 4 * key.length });
  return form;
}

/** A form of this job's mails. */
interface Known {
  preview: boolean;
  literals: string[];
  form: CampaignForm;
}

/** The branches a template takes produce different skeletons. Skeletons beyond this number are looked up in the cache for every mail. */
const MOST_KNOWN = 8;

function formAndValues(
  job: BulkJob,
  known: Known[],
  rendered: string,
  preview: boolean,
): { form: CampaignForm; values: string[] } | 'aside' {
  for (const one of known) {
    const values = one.preview === preview ? valuesBetween(one.literals, rendered) : null;
    if (values !== null) return { form: one.form, values };
  }
  const { skeleton, values } = splitValues(rendered);
  const form = knownForm(job, skeleton, preview);
  if (form === 'aside') return 'aside';
  if (known.length < MOST_KNOWN) known.push({ preview, literals: betweenValues(skeleton), form });
  return { form, values };
}

async function renderMail(job: BulkJob, known: Known[], recipient: BulkRecipient): Promise<Made> {
  const { companyId, template, tokenKey } = job;
  const { messageId, contactId, to, contact, own } = recipient;
  const urls = { unsubscribe_url: PLACEHOLDERS.unsubscribe, preferences_url: PLACEHOLDERS.unsubscribe };
  const context: RenderContext = { contact, ...urls, ...job.context, ...own };
  const html = renderTemplate(template.html, context, { html: true, marked: true });
  const subject = renderTemplate(template.subject, context, { html: false });
  const preview = renderTemplate(template.previewText, context, { html: false });
  for (const result of [html, subject, preview]) {
    if (!result.ok) return result.exceeded === null ? { failed: result.error, line: result.line } : 'aside';
  }
  if (!html.ok || !subject.ok || !preview.ok) return 'aside';
  const unsubscribe = `${job.base}/u/${signToken(tokenKey, 'unsubscribe', { companyId, subject: contactId, detail: messageId })}`;
  const lineOf = (text: string): string => singleLine(text.replaceAll(PLACEHOLDERS.unsubscribe, unsubscribe));
  const previewText = lineOf(preview.text);
  const found = formAndValues(job, known, html.text, previewText !== '');
  if (found === 'aside') return 'aside';
  const { form, values } = found;
  const token = signToken(tokenKey, 'message', { companyId, subject: messageId, detail: 0 });
  const parts = fillForm(form, { values, unsubscribe, token, preview: previewText });
  const content: EmailContent = {
    from: job.from,
    to: { address: to },
    replyTo: job.replyTo,
    subject: lineOf(subject.text),
    html: '',
    headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    messageId: messageIdOf(messageId, job.messageIdEnd),
    date: job.date,
  };
  try {
    return { raw: await assembleMessage(content, { ...parts, encoding: form.encoding }, job.dkim) };
  } catch (error) {
    return { failed: error instanceof AppError || error instanceof Error ? error.message : 'not built', line: null };
  }
}

/** Whether the templates have bounded cost and their output does not depend on placeholders. */
function mayBeRenderedInBulk({ html, subject, previewText }: BulkJob['template']): boolean {
  return (
    [html, subject, previewText].every(mayHavePlaceholders) &&
    isVetted(html, true) &&
    isVetted(subject, false) &&
    isVetted(previewText, false)
  );
}

async function run(job: BulkJob | SingleJob): Promise<BulkJobResult> {
  const began = monotonicMs();
  const elapsed = (): number => monotonicMs() - began;
  if (job.kind === 'form') return runForm(job, elapsed);
  const results = await makeSingles(job, elapsed);
  if ('wanted' in results) return results;
  const { bytes, places } = packed(results.map((one) => (one.kind === 'raw' ? one.raw : null)));
  return {
    bytes,
    singles: results.map((one, i) => (one.kind === 'raw' ? { ...places[i]!, linked: one.linked } : one)),
  };
}

async function runForm(job: BulkJob, elapsed: () => number): Promise<BulkJobResult> {
  const recipients: BulkRecipient[] = JSON.parse(job.recipients);
  const made: Made[] = [];
  const known: Known[] = [];
  let size = 0;
  try {
    if (!mayBeRenderedInBulk(job.template)) made.push(...recipients.map(() => 'aside' as const));
    for (const recipient of made.length > 0 ? [] : recipients) {
      const one = await renderMail(job, known, recipient);
      size += typeof one === 'object' && 'raw' in one ? one.raw.length : 0;
      if (size > MOST_BYTES && made.length > 0) break;
      made.push(one);
      if (elapsed() > SLICE_MS) break;
    }
    const { bytes, places } = packed(made.map((one) => (typeof one === 'object' && 'raw' in one ? one.raw : null)));
    return {
      bytes,
      mails: made.map((one, i): BulkMailPlace => (typeof one === 'object' && 'raw' in one ? places[i]! : one)),
    };
  } catch (error) {
    if (error instanceof UnknownLinks) return { unknown: error.urls };
    return { bytes: new Uint8Array(), mails: recipients.map(() => 'aside' as const) };
  }
}

/** Concatenates the mails into one buffer that can be transferred to another thread without copying. A null mail has a null place. */
function packed(mails: (Buffer | null)[]): { bytes: Uint8Array<ArrayBuffer>; places: (Place | null)[] } {
  const bytes = new Uint8Array(mails.reduce((sum, mail) => sum + (mail?.length ?? 0), 0));
  let at = 0;
  const places = mails.map((mail): Place | null => {
    if (mail === null) return null;
    bytes.set(mail, at);
    at += mail.length;
    return { from: at - mail.length, to: at };
  });
  return { bytes, places };
}

serveJobs<BulkJob | SingleJob, BulkJobResult>(run, (result) => ('bytes' in result ? [result.bytes.buffer] : []));
