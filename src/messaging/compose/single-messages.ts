import type { KeyObject } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { createTextCache } from '../../lib/text-cache.ts';
import { trackPage } from '../personal-links/track-page.ts';
import type { EmailForm } from '../sending-accounts/accounts.ts';
import type { NewLink } from './content/content-queries.ts';
import { insertAtEnd } from './links/links.ts';
import { type RenderContext, renderTemplate } from './liquid/engine.ts';
import type { RenderFailure } from './liquid/failures.ts';
import { BODY_LIMITS, LINE_LIMITS } from './liquid/limits.ts';
import type { DkimKey } from './mime/dkim.ts';
import type { EmailContent, NamedAddress } from './mime/email-content.ts';
import { checkHead, singleLine } from './mime/headers.ts';
import { buildMessage, partsOf } from './mime/mime.ts';
import { MOST_BYTES } from './slices.ts';
import { footerOf } from './tracked-links.ts';

/** Messages of one company that share one template and are composed one by one. */
export interface SingleJob {
  kind: 'single';
  companyId: number;
  /** HTML, or the text of an SMS; Liquid. */
  template: string;
  /** SingleMessage[] as JSON. */
  messages: string;
  date: Date;
  dkim: DkimKey | undefined;
  /** The form in which e-mails are needed. */
  form: EmailForm;
  /** Base URL of the public pages, what is tracked, and the names of links found since the last call. */
  base: string;
  clicks: boolean;
  opens: boolean;
  /** By the hash of the link in hexadecimal. */
  links: [hash: string, name: string][];
  /** Links without a name stay unchanged. */
  lastCall: boolean;
  tokenKey: KeyObject;
}

export interface SingleMessage {
  messageId: number;
  context: RenderContext;
  /** null for an SMS. */
  email: {
    subject: string;
    previewText: string;
    from: NamedAddress;
    to: string;
    replyTo: string | null;
    headers: Record<string, string>;
    id: string;
    /** Target of the footer link, added if nothing else in the mail leads there; null if no recipient needs to be able to unsubscribe. */
    footer: string | null;
    track: boolean;
  } | null;
}

export type SingleResult =
  | { kind: 'text'; text: string }
  | { kind: 'content'; subject: string; previewText: string; html: string; text?: string }
  | { kind: 'raw'; raw: Buffer; linked: boolean }
  | { kind: 'failed'; failure: RenderFailure };

/** A job stops after this time in milliseconds and returns what it has done, so that the next one in the queue gets its turn. */
export const SLICE_MS = 300;

const names = createTextCache<string>(20_000, 8_000_000);

/** Returns the results of the first messages, at least one; or the links that need names first. */
export async function makeSingles(
  job: SingleJob,
  elapsed: () => number,
): Promise<SingleResult[] | { wanted: NewLink[] }> {
  for (const [hash, name] of job.links) names.set(`${job.companyId} ${hash}`, name, { size: 200 });
  const results: SingleResult[] = [];
  const wanted = new Map<string, NewLink>();
  const messages: SingleMessage[] = JSON.parse(job.messages);
  let size = 0;
  for (const message of messages) {
    const result = await makeOne(job, message, wanted).catch(failedBy);
    const weight = weightOf(result);
    if (weight > MOST_BYTES) results.push(failed('The message is larger than 4 MiB'));
    else if (size + weight > MOST_BYTES) break;
    else results.push(result);
    size += weight;
    if (elapsed() > SLICE_MS) break;
  }
  return wanted.size > 0 && !job.lastCall ? { wanted: [...wanted.values()] } : results;
}

async function makeOne(job: SingleJob, message: SingleMessage, wanted: Map<string, NewLink>): Promise<SingleResult> {
  const { context, email } = message;
  const body = renderTemplate(job.template, context, { html: email !== null, limits: BODY_LIMITS });
  if (!body.ok) return { kind: 'failed', failure: body };
  if (email === null) return { kind: 'text', text: body.text };
  const subject = renderTemplate(email.subject, context, { html: false, limits: LINE_LIMITS });
  if (!subject.ok) return { kind: 'failed', failure: subject };
  const previewText = renderTemplate(email.previewText, context, { html: false, limits: LINE_LIMITS });
  if (!previewText.ok) return { kind: 'failed', failure: previewText };
  const { footer } = email;
  const whole = footer === null || body.text.includes(footer) ? body.text : insertAtEnd(body.text, footerOf(footer));
  const content: EmailContent = {
    from: email.from,
    to: { address: email.to },
    replyTo: email.replyTo === null ? undefined : { address: email.replyTo },
    subject: singleLine(subject.text),
    previewText: singleLine(previewText.text),
    html: tracked(job, message, whole, wanted),
    headers: email.headers,
    messageId: email.id,
    date: job.date,
  };
  if (wanted.size > 0 && !job.lastCall) return failed('Some links have no names yet');
  if (job.form === 'bytes') {
    const linked = JSON.stringify(content).includes(`${job.base}/`);
    return { kind: 'raw', raw: await buildMessage(content, job.dkim), linked };
  }
  checkHead(content);
  // In this form the preview text is part of the HTML.
  if (job.form === 'parts') {
    const { html = '', text } = partsOf(content);
    return { kind: 'content', subject: content.subject, previewText: '', html, text };
  }
  return { kind: 'content', subject: content.subject, previewText: content.previewText!, html: content.html! };
}

function tracked(job: SingleJob, message: SingleMessage, html: string, wanted: Map<string, NewLink>): string {
  const { companyId, template, tokenKey, base } = job;
  const { messageId, email } = message;
  const track = email?.track === true;
  const page = { companyId, messageId, html, template, clicks: job.clicks && track, opens: job.opens && track };
  return trackPage(page, { tokenKey, base, nameOf: (hash) => names.get(`${companyId} ${hash}`) }, wanted);
}

/** An error that occurs only while a message is composed fails that message alone. */
function failedBy(error: unknown): SingleResult {
  return failed(error instanceof AppError || error instanceof Error ? error.message : 'The message could not be made');
}

function failed(error: string): SingleResult {
  return { kind: 'failed', failure: { ok: false, error, line: null, column: null, exceeded: null } };
}

function weightOf(result: SingleResult): number {
  if (result.kind === 'raw') return result.raw.length;
  if (result.kind === 'content') return 2 * (result.html.length + result.subject.length + result.previewText.length);
  return result.kind === 'text' ? 2 * result.text.length : 0;
}
