import { monotonicMs } from '../../../clock.ts';
import { createTextCache } from '../../../lib/text-cache.ts';
import { serveJobs } from '../../../lib/threads/port.ts';
import { signToken } from '../../consent/tokens.ts';
import { insertAtEnd } from '../links/html.ts';
import { footerOf, linkTo, mailToken, type NameOf, trackPage } from '../links/track.ts';
import { BODY_LIMITS, LINE_LIMITS } from '../liquid/limits.ts';
import { isVetted, type RenderContext, renderTemplate } from '../liquid/render.ts';
import { buildMessage, partsOf } from '../mime/build.ts';
import { checkHead, type EmailContent, messageIdOf, singleLine } from '../mime/email-content.ts';
import { assembleMessage } from '../mime/encode.ts';
import type { NewLink } from '../queries.ts';
import { betweenValues, type CompiledMail, compileMail, fillMail, splitValues, valuesBetween } from './compiled.ts';
import {
  bytesOf,
  type MessageInput,
  type MessageJob,
  type MissingNames,
  MOST_BYTES,
  type PackedMessages,
  pack,
  type RenderedMessage,
} from './jobs.ts';
import { mayHavePlaceholders, PLACEHOLDERS } from './placeholders.ts';

/** A job stops after this time in milliseconds and returns what it has done, so that the next one in the queue gets its turn. */
const JOB_MS = 300;

const names = createTextCache<string>(20_000, 8_000_000);
/** Compiled templates, keyed by everything they depend on. */
const compiled = createTextCache<CompiledMail | 'whole'>(200, 16_000_000);
/** The branches a template takes produce different skeletons. Skeletons beyond this number are looked up in the cache for every e-mail. */
const MOST_RECENT = 8;

/** A job in progress. */
interface Work {
  job: MessageJob;
  nameOf: NameOf;
  /** Links without a name, by hash. */
  missing: Map<string, NewLink>;
  /** Whether e-mails may be made from a compiled template. */
  mayCompile: boolean;
  /** The skeletons met in this job, with the literal text between their values. */
  recent: { preview: boolean; literals: string[]; mail: CompiledMail | 'nameless' }[];
}

/**
 * The program of the threads for messages: see renderer.ts. Composes the first messages of a batch, at least one; or returns the links that
 * need names first.
 */
async function renderMessages(job: MessageJob): Promise<PackedMessages | MissingNames> {
  const began = monotonicMs();
  const { companyId, lastRound } = job;
  for (const [hash, name] of job.names) names.set(`${companyId} ${hash}`, name, { size: 200 });
  const missing = new Map<string, NewLink>();
  const nameOf: NameOf = (link) => {
    const hash = link.hash.toString('hex');
    const name = names.get(`${companyId} ${hash}`);
    if (name === undefined) missing.set(hash, link);
    return name;
  };
  const work: Work = { job, nameOf, missing, mayCompile: mayCompile(job), recent: [] };
  const messages: MessageInput[] = JSON.parse(job.messages);
  const results: RenderedMessage[] = [];
  let size = 0;
  for (const message of messages) {
    const result = await renderMessage(work, message);
    const bytes = bytesOf(result);
    if (bytes > MOST_BYTES) results.push(failed('The message is larger than 4 MiB'));
    else if (size + bytes > MOST_BYTES) break;
    else results.push(result);
    size += bytes;
    if (monotonicMs() - began > JOB_MS) break;
  }
  return missing.size > 0 && !lastRound ? { missing: [...missing.values()] } : pack(results);
}

/** An error that occurs only while a message is composed fails that message alone. */
async function renderMessage(work: Work, message: MessageInput): Promise<RenderedMessage> {
  try {
    const made = work.mayCompile ? await renderCompiled(work, message) : null;
    return made ?? (await renderWhole(work, message));
  } catch (error) {
    return failed(error instanceof Error ? error.message : 'The message could not be made');
  }
}

/** Whether the templates have bounded cost and their output does not depend on placeholders. */
function mayCompile({ campaign, channel, form, template: { html, subject, previewText } }: MessageJob): boolean {
  return (
    campaign &&
    channel === 'email' &&
    form === 'bytes' &&
    [html, subject, previewText].every(mayHavePlaceholders) &&
    isVetted(html, true) &&
    isVetted(subject, false) &&
    isVetted(previewText, false)
  );
}

/** Renders an e-mail's values only, and fills them into the compiled template; null if it has to be rendered as a whole. */
async function renderCompiled(work: Work, message: MessageInput): Promise<RenderedMessage | null> {
  const { job } = work;
  const { template, companyId, tokenKey } = job;
  const unsubscribe = unsubscribeUrl(job, message);
  if (unsubscribe === null) return null;
  const context = contextOf(job, message, PLACEHOLDERS.unsubscribe);
  const html = renderTemplate(template.html, context, { html: true, marked: true });
  const subject = renderTemplate(template.subject, context, { html: false });
  const preview = renderTemplate(template.previewText, context, { html: false });
  for (const part of [html, subject, preview]) {
    // With the larger limits of a whole message it may succeed.
    if (!part.ok) return part.exceeded === null ? { kind: 'failed', failure: part } : null;
  }
  if (!html.ok || !subject.ok || !preview.ok) return null;
  const lineOf = (text: string): string => singleLine(text.replaceAll(PLACEHOLDERS.unsubscribe, unsubscribe));
  const previewText = lineOf(preview.text);
  const found = compiledAndValues(work, html.text, previewText !== '');
  if (found === 'whole') return null;
  if (found === 'nameless') return job.lastRound ? null : failed('Some links have no names yet');
  const { mail, values } = found;
  const token = mailToken(tokenKey, companyId, message.id);
  const bodies = fillMail(mail, { values, unsubscribe, token, preview: previewText });
  const content = { ...headOf(job, message, unsubscribe), subject: lineOf(subject.text), html: '' };
  const raw = await assembleMessage(content, { ...bodies, encoding: mail.encoding }, job.dkim);
  return { kind: 'raw', raw, linked: true };
}

function compiledAndValues(
  { job, nameOf, recent }: Work,
  rendered: string,
  preview: boolean,
): { mail: CompiledMail; values: string[] } | 'whole' | 'nameless' {
  for (const one of recent) {
    const values = one.preview === preview ? valuesBetween(one.literals, rendered) : null;
    if (values !== null) return one.mail === 'nameless' ? 'nameless' : { mail: one.mail, values };
  }
  const { skeleton, values } = splitValues(rendered);
  const { companyId, base, clicks, opens } = job;
  const key = `${companyId} ${base} ${clicks} ${opens} ${preview} ${skeleton}`;
  const known = compiled.get(key);
  const mail =
    known ?? compileMail(skeleton, { base, clicks, opens, preview, nameFor: (address) => nameOf(linkTo(address)) });
  if (known === undefined && mail !== 'nameless') compiled.set(key, mail, { size: 4 * key.length });
  if (mail === 'whole') return 'whole';
  if (recent.length < MOST_RECENT) recent.push({ preview, literals: betweenValues(skeleton), mail });
  return mail === 'nameless' ? 'nameless' : { mail, values };
}

/** Renders a message of any template. */
async function renderWhole(work: Work, message: MessageInput): Promise<RenderedMessage> {
  const { job, missing, nameOf } = work;
  const { companyId, template, tokenKey, base, form, dkim } = job;
  const email = job.channel === 'email';
  const unsubscribe = unsubscribeUrl(job, message);
  const context = contextOf(job, message, unsubscribe);
  const body = renderTemplate(template.html, context, { html: email, limits: BODY_LIMITS });
  if (!body.ok) return { kind: 'failed', failure: body };
  if (!email) return { kind: 'text', text: body.text };
  const subject = renderTemplate(template.subject, context, { html: false, limits: LINE_LIMITS });
  if (!subject.ok) return { kind: 'failed', failure: subject };
  const preview = renderTemplate(template.previewText, context, { html: false, limits: LINE_LIMITS });
  if (!preview.ok) return { kind: 'failed', failure: preview };
  const footer = message.marketing ? unsubscribe : null;
  const html = footer === null || body.text.includes(footer) ? body.text : insertAtEnd(body.text, footerOf(footer));
  const page = { companyId, messageId: message.id, html, template: template.html };
  const token = mailToken(tokenKey, companyId, message.id);
  const tracking = { base, token, clicks: job.clicks && message.tracked, opens: job.opens && message.tracked };
  const content: EmailContent = {
    ...headOf(job, message, footer),
    subject: singleLine(subject.text),
    previewText: singleLine(preview.text),
    html: trackPage(page, tracking, tokenKey, nameOf),
  };
  if (missing.size > 0 && !job.lastRound) return failed('Some links have no names yet');
  if (form === 'bytes') {
    const linked = JSON.stringify(content).includes(`${base}/`);
    return { kind: 'raw', raw: await buildMessage(content, dkim), linked };
  }
  checkHead(content);
  // In the form `parts` the preview text is part of the HTML.
  return {
    kind: 'content',
    content: form === 'parts' ? { ...content, ...partsOf(content), previewText: '' } : content,
  };
}

function contextOf(job: MessageJob, { contact, values }: MessageInput, unsubscribe: string | null): RenderContext {
  return { contact, unsubscribe_url: unsubscribe, preferences_url: unsubscribe, ...job.context, ...values };
}

function unsubscribeUrl({ base, companyId, tokenKey }: MessageJob, { unsubscribe }: MessageInput): string | null {
  return unsubscribe === null ? null : `${base}/u/${signToken(tokenKey, 'unsubscribe', { companyId, ...unsubscribe })}`;
}

/** The headers of an e-mail. `leave`: the target of the one-click header, if it has one. */
function headOf({ from, replyTo, messageIdEnd, date }: MessageJob, { id, to }: MessageInput, leave: string | null) {
  const oneClick = { 'List-Unsubscribe': `<${leave}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  const headers: Record<string, string> = leave === null ? {} : oneClick;
  return { from, to: { address: to }, replyTo, headers, messageId: messageIdOf(id, messageIdEnd), date };
}

function failed(error: string): RenderedMessage {
  return { kind: 'failed', failure: { ok: false, error, line: null, column: null, exceeded: null } };
}

serveJobs<MessageJob, PackedMessages | MissingNames>(renderMessages, (output) =>
  'bytes' in output ? [output.bytes.buffer] : [],
);
