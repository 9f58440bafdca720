import type { KeyObject } from 'node:crypto';
import type { MasterKey } from '../access/master-key.ts';
import type { Queryable } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import { readSender } from './addresses.ts';
import type { ContentCompiler } from './content.ts';
import { insertAtEnd } from './links.ts';
import type { Renderer, RenderRequest } from './liquid.ts';
import { isVetted, type JsonValue, type RenderContext } from './liquid-engine.ts';
import { mayBeMarked } from './marks.ts';
import type { ClaimedMessage } from './message.ts';
import { buildMessage, checkHead, type DkimKey, type EmailContent, type NamedAddress, singleLine } from './mime.ts';
import type { Press } from './press.ts';
import { type SendingCompany, smsSender } from './settings.ts';
import type { Source, SourceLoader } from './sources.ts';
import { signToken } from './tokens.ts';
import { footerOf, type LinkTracker } from './tracked-links.ts';
import type { OutgoingMessage } from './transports/port.ts';
import { smsText } from './transports/sms-segments.ts';

/** A contact as templates see it. */
export interface TemplateContact {
  email: string | null;
  phone: string | null;
}

export interface ComposerDeps {
  db: Queryable;
  renderer: Renderer;
  compiler: ContentCompiler;
  sources: SourceLoader;
  links: LinkTracker;
  /** null where the e-mail transport wants no bytes. */
  press: Press | null;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
  masterKey: MasterKey;
  tokenKey: KeyObject;
  /** The address under which the public pages are reached, without a slash at the end. */
  origin: () => string;
}

/** `failed`: the message cannot be made; `skipped`: there is nobody to send it to. */
export type Composed = { kind: 'ready'; outgoing: OutgoingMessage } | { kind: 'failed' | 'skipped'; reason: string };

export interface Composer {
  /** Makes the messages of one company, each for itself: what fails is a result. In their order. */
  compose(company: SendingCompany, messages: ClaimedMessage[], now: Date): Promise<Composed[]>;
}

/** A message with what it is made from. */
interface Begun {
  message: ClaimedMessage;
  source: Source;
  to: string;
  contactId: number | null;
  contact: JsonValue;
}

/** One message on its way through the steps. */
interface Draft {
  message: ClaimedMessage;
  source: Source;
  to: string;
  context: RenderContext;
  unsubscribeUrl: string | null;
}

export function createComposer(deps: ComposerDeps): Composer {
  const { db, renderer, compiler, sources, links, press, loadContacts, masterKey, tokenKey, origin } = deps;
  const dkimKeys = new WeakMap<SendingCompany, DkimKey>();

  function dkimOf(company: SendingCompany): DkimKey | undefined {
    if (company.dkim === null) return undefined;
    const { domain, selector, sealed_key } = company.dkim;
    const known = dkimKeys.get(company);
    if (known !== undefined) return known;
    const key = { domain, selector, privateKey: masterKey.open(Buffer.from(sealed_key, 'base64')) };
    dkimKeys.set(company, key);
    return key;
  }

  async function begin(company: SendingCompany, messages: ClaimedMessage[]): Promise<(Begun | Composed)[]> {
    const { companyId } = company;
    const contactIds = [
      ...new Set(messages.flatMap(({ contactId, origin }) => contactId ?? testedContact(origin) ?? [])),
    ];
    const [contacts, sourceOf] = await Promise.all([
      loadContacts(db, companyId, contactIds),
      sources.load(db, companyId, messages),
    ]);
    return messages.map((message) => {
      const source = sourceOf(message);
      if ('missing' in source) return { kind: 'failed', reason: source.missing };
      const contactId = message.contactId ?? testedContact(message.origin);
      const contact = contactId === null ? undefined : contacts.get(contactId);
      if (contact === undefined && message.contactId !== null) return { kind: 'skipped', reason: 'contact_erased' };
      const own = message.channel === 'email' ? contact?.email : contact?.phone;
      const to = message.recipient !== null && message.contactId === null ? message.recipient : own;
      if (!to) return { kind: 'skipped', reason: 'no_address' };
      return { message, source, to, contactId, contact: (contact ?? {}) as JsonValue };
    });
  }

  function draftOf(company: SendingCompany, begun: Begun): Draft {
    const { message, source, to, contactId, contact } = begun;
    const { companyId } = company;
    const base = origin();
    // From a test's link nobody can unsubscribe the contact whose values it shows.
    const whose = isTest(message) ? { contact: 0, mail: 0 } : { contact: contactId, mail: message.id };
    const unsubscribeUrl =
      whose.contact === null ? null : `${base}/u/${token('unsubscribe', companyId, whose.contact, whose.mail)}`;
    const urls = { unsubscribe_url: unsubscribeUrl, preferences_url: unsubscribeUrl, ...confirmUrl(base, message) };
    const context = { contact, company: sharedOf(company), ...urls, ...source.context };
    return { message, source, to, context, unsubscribeUrl };
  }

  /** Campaigns' e-mails that can be made from a form, where the transport takes bytes. */
  async function pressAll(company: SendingCompany, all: Begun[], now: Date): Promise<Map<Begun, Composed>> {
    const made = new Map<Begun, Composed>();
    if (press === null) return made;
    const groups = Map.groupBy(all, ({ message: { channel, origin: from } }) =>
      channel === 'email' && from.kind === 'campaign' ? `${from.campaignId}:${from.variant ?? ''}` : null,
    );
    groups.delete(null);
    await Promise.all([...groups.values()].map((group) => pressGroup(press, company, group, now, made)));
    return made;
  }

  async function pressGroup(
    by: Press,
    company: SendingCompany,
    group: Begun[],
    now: Date,
    made: Map<Begun, Composed>,
  ): Promise<void> {
    const { source } = group[0]!;
    const compiled = await compiler.compile(source.content);
    if (!compiled.ok || !source.subject) return;
    const template = { html: compiled.html, subject: source.subject, previewText: source.previewText ?? '' };
    if (!mayBePressed(template)) return;
    const { companyId, track_clicks: clicks, track_opens: opens } = company;
    const from = senderOf(source.sender, company);
    const pressed = await by.press(
      {
        companyId,
        template,
        context: { company: sharedOf(company), ...source.context },
        from,
        replyTo: company.reply_to === null ? undefined : { address: company.reply_to },
        date: now,
        dkim: dkimOf(company),
        base: origin(),
        clicks,
        opens,
        links: [],
        tokenKey,
        recipients: group.map(({ message, contactId, to, contact }) => {
          return { messageId: message.id, contactId: contactId!, to, contact };
        }),
      },
      (urls) => links.namesOf(company, urls),
    );
    group.forEach((begun, i) => {
      const result = pressed[i]!;
      if (result === 'aside') return;
      if ('failed' in result) {
        made.set(begun, { kind: 'failed', reason: sentenceOf({ error: result.failed, line: result.line }) });
        return;
      }
      const { message, to, contactId } = begun;
      const { raw } = result;
      const outgoing: OutgoingMessage = {
        channel: 'email',
        id: `${companyId}-${message.id}`,
        ledger: { companyId, messageId: message.id, contactId },
        from: from.address,
        to,
        content: null,
        raw: async () => raw,
      };
      made.set(begun, { kind: 'ready', outgoing });
    });
  }

  function token(kind: 'unsubscribe' | 'confirm', companyId: number, subject: number, detail: number): string {
    return signToken(tokenKey, kind, { companyId, subject, detail });
  }

  function confirmUrl(base: string, { companyId, contactId, origin: from }: ClaimedMessage): { confirm_url?: string } {
    if (contactId === null || from.kind !== 'system' || typeof from.data.list_id !== 'number') return {};
    return { confirm_url: `${base}/u/confirm/${token('confirm', companyId, contactId, from.data.list_id)}` };
  }

  /** The HTML of each distinct content: MJML compiled, anything else as it is. */
  async function compileAll(all: Draft[]): Promise<Map<string, string | { error: string }>> {
    const contents = new Set(
      all.flatMap(({ message, source }) => (message.channel === 'email' ? [source.content] : [])),
    );
    const compiled = new Map<string, string | { error: string }>();
    await Promise.all(
      [...contents].map(async (content) => {
        const result = await compiler.compile(content);
        compiled.set(content, result.ok ? result.html : { error: result.error });
      }),
    );
    return compiled;
  }

  function emailOf(company: SendingCompany, draft: Draft, parts: RenderedEmail, now: Date): Composed {
    const { message, source, to, unsubscribeUrl } = draft;
    const { companyId, id, contactId } = message;
    const from = senderOf(source.sender, company);
    const oneClick =
      unsubscribeUrl === null || !isMarketing(message)
        ? undefined
        : { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
    const content: EmailContent = {
      from,
      to: { address: to },
      replyTo: company.reply_to === null ? undefined : { address: company.reply_to },
      subject: singleLine(parts.subject),
      previewText: singleLine(parts.previewText),
      html: parts.html,
      headers: oneClick,
      messageId: `<m${id}.c${companyId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
      date: now,
    };
    const dkim = dkimOf(company);
    checkHead(content);
    return {
      kind: 'ready',
      outgoing: {
        channel: 'email',
        id: `${companyId}-${id}`,
        ledger: { companyId, messageId: id, contactId },
        from: from.address,
        to,
        content,
        raw: () => buildMessage(content, dkim),
      },
    };
  }

  function smsOf(company: SendingCompany, { message, to }: Draft, text: string): Composed {
    const { companyId, id, contactId } = message;
    const body = smsText(text);
    if (body === '') return { kind: 'failed', reason: 'The message is empty' };
    const ledger = { companyId, messageId: id, contactId };
    return {
      kind: 'ready',
      outgoing: { channel: 'sms', id: `${companyId}-${id}`, ledger, from: smsSender(company, to), to, text: body },
    };
  }

  async function finishEmails(
    company: SendingCompany,
    emails: { draft: Draft; parts: RenderedEmail }[],
    templateOf: Map<string, string | { error: string }>,
    now: Date,
  ) {
    const pages = emails.map(({ draft, parts }) => ({
      messageId: draft.message.id,
      html: withFooter(parts.html, draft),
      template: String(templateOf.get(draft.source.content)),
      track: draft.message.contactId !== null,
    }));
    const tracked = await links.track(company, pages);
    return emails.map(({ draft, parts }, i): Composed => {
      try {
        return emailOf(company, draft, { ...parts, html: tracked[i]! }, now);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { kind: 'failed', reason: error.message };
      }
    });
  }

  return {
    async compose(company, messages, now) {
      const begun = await begin(company, messages);
      const all = begun.filter((one): one is Begun => 'source' in one);
      const composed = await pressAll(company, all, now);
      const single = all.filter((one) => !composed.has(one));
      const open = single.map((one) => draftOf(company, one));
      const html = await compileAll(open);
      const requests = open.map((draft) => requestsOf(draft, html));
      const rendered = await renderer.render(requests.flatMap((one) => (Array.isArray(one) ? one : [])));
      const emails: { begun: Begun; draft: Draft; parts: RenderedEmail }[] = [];
      let next = 0;
      open.forEach((draft, i) => {
        const request = requests[i]!;
        const begun = single[i]!;
        if (!Array.isArray(request)) {
          composed.set(begun, { kind: 'failed', reason: request.error });
          return;
        }
        const results = rendered.slice(next, next + request.length);
        next += request.length;
        const failure = results.find((result) => !result.ok);
        const [html, subject, previewText] = results.map((result) => (result.ok ? result.text : ''));
        if (failure?.ok === false) composed.set(begun, { kind: 'failed', reason: sentenceOf(failure) });
        else if (draft.message.channel === 'sms') composed.set(begun, smsOf(company, draft, html!));
        else emails.push({ begun, draft, parts: { html: html!, subject: subject!, previewText: previewText! } });
      });
      const finished = await finishEmails(company, emails, html, now);
      emails.forEach((email, i) => {
        composed.set(email.begun, finished[i]!);
      });
      return begun.map((one) => ('source' in one ? composed.get(one)! : one));
    },
  };
}

interface RenderedEmail {
  html: string;
  subject: string;
  previewText: string;
}

/** A test to somebody's own address may be made as for a chosen contact. */
function testedContact(origin: ClaimedMessage['origin']): number | null {
  const id = origin.kind === 'system' ? origin.data.as_contact_id : null;
  return typeof id === 'number' ? id : null;
}

function isTest({ origin }: ClaimedMessage): boolean {
  return origin.kind === 'system' && origin.template === 'campaign_test';
}

/** What somebody may unsubscribe from. A test looks as what it tests. */
function isMarketing(message: ClaimedMessage): boolean {
  return !message.transactional || isTest(message);
}

/** What every template may use of the company. */
function sharedOf({ name, currency }: SendingCompany): RenderContext {
  return { name, currency };
}

/** Templates of bounded cost that marks do not change. */
function mayBePressed({ html, subject, previewText }: { html: string; subject: string; previewText: string }): boolean {
  return (
    [html, subject, previewText].every(mayBeMarked) &&
    isVetted(html, true) &&
    isVetted(subject, false) &&
    isVetted(previewText, false)
  );
}

function requestsOf(
  { message, source, context }: Draft,
  compiled: Map<string, string | { error: string }>,
): RenderRequest[] | { error: string } {
  if (message.channel === 'sms') return [{ text: source.content, context, html: false }];
  const html = compiled.get(source.content)!;
  if (typeof html !== 'string') return html;
  if (!source.subject) return { error: 'There is no subject' };
  return [
    { text: html, context, html: true },
    { text: source.subject, context, html: false },
    { text: source.previewText ?? '', context, html: false },
  ];
}

function sentenceOf({ error, line }: { error: string; line: number | null }): string {
  return line === null ? error : `${error} (line ${line})`;
}

/** `Name <address>`, an address, or nothing for the company's own sender. */
function senderOf(given: string | null, company: SendingCompany): NamedAddress {
  if (given === null || given.trim() === '') return { name: company.from_name, address: company.from_email };
  // What is none fails with its name (see mime.ts).
  const { name, address } = readSender(given) ?? { name: '', address: given };
  return { name: given.includes('<') ? name : company.from_name, address };
}

/** A marketing mail from which nobody could unsubscribe gets the link at its end. */
function withFooter(html: string, { message, unsubscribeUrl }: Draft): string {
  if (unsubscribeUrl === null || !isMarketing(message) || html.includes(unsubscribeUrl)) return html;
  return insertAtEnd(html, footerOf(unsubscribeUrl));
}
