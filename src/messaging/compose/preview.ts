import { LRUCache } from 'lru-cache';
import type { CompanyCache } from '../../access/company-cache.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import type { Channel } from '../ledger/message.ts';
import { countSegments, type SegmentCount, smsText } from '../send/transports/sms-segments.ts';
import { activeAccount } from '../sending-accounts/accounts.ts';
import { domainOfAddress, isAligned } from '../sending-domains/signing.ts';
import { type SendingCompany, senderOf } from '../settings/settings.ts';
import { eventContext } from './content.ts';
import type { RenderContext } from './liquid/render.ts';
import type { TemplateContact } from './load.ts';
import type { ContentCompiler } from './mjml/compiler.ts';
import { findPropertyNames, findShopNames } from './queries.ts';
import type { Renderer } from './renderer.ts';
import { couponsIn, createDataLoader, type DataLoaders, sampleCoupons } from './values.ts';
import type { WebAddress } from './warnings/addresses.ts';
import { type Finding, sentenceOf } from './warnings/findings.ts';
import { type KnownNames, knownNames } from './warnings/variables.ts';

/** A draft of a message. */
export interface Written {
  channel: Channel;
  subject?: string | null;
  preview_text?: string | null;
  content: string;
  /** `Name <address>`, or null for the company's own; checked only if present. */
  from?: string | null;
}

export interface PreviewOf {
  /** The contact whose values are used; if absent, no contact's. */
  contactId?: number;
  /** Further values by their variable names: `event` and so on. */
  values?: RenderContext;
}

/** What the recipient would see. */
export interface Preview {
  subject: string | null;
  preview_text: string | null;
  /** Sanitised; null for an SMS. */
  html: string | null;
  text: string;
  /** Segments charged; null for an e-mail. */
  sms: SegmentCount | null;
  /** Warnings of the MJML compiler, and the findings as sentences. */
  warnings: string[];
  /** Probable mistakes for the writer to check. */
  findings: Finding[];
  /** The web addresses of an e-mail. */
  addresses: WebAddress[];
}

export interface Previewer {
  /**
   * Throws validation_failed for a contact that does not exist or a part that cannot be compiled or rendered, and rate_limited while too
   * many of the company's jobs wait.
   */
  preview(companyId: number, written: Written, of: PreviewOf): Promise<Preview>;
  /** Returns a preview's HTML with the clicks on its links; null if that takes too long. Throws rate_limited. */
  annotate: Renderer['annotate'];
  /** Throws what `preview` throws, without a contact. */
  check(companyId: number, written: Written): Promise<void>;
  /** Like `check`; returns the findings as sentences. */
  warningsOf(companyId: number, written: Written): Promise<string[]>;
  /** Returns the names of the variables in the company's messages. */
  variables(companyId: number): Promise<KnownNames>;
}

export interface PreviewerDeps {
  db: Pick<Db, 'points' | 'lists'>;
  companies: CompanyCache<SendingCompany>;
  renderer: Renderer;
  compiler: ContentCompiler;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
  data: DataLoaders;
  clock: Clock;
  /** Whether e-mails of companies without an account of their own leave this server, so that receivers assess the sender. */
  leaves: boolean;
}

export function createPreviewer(deps: PreviewerDeps): Previewer {
  const { db, companies, renderer, compiler, loadContacts, clock } = deps;
  const loadData = createDataLoader(deps.data);
  const variables = createKnownNames(db);

  async function contextOf(
    companyId: number,
    texts: (string | null)[],
    { contactId, values }: PreviewOf,
  ): Promise<RenderContext> {
    const { name, currency } = await companies.get(companyId);
    const contacts = contactId === undefined ? null : await loadContacts(db.points(companyId), companyId, [contactId]);
    const contact = contactId === undefined ? {} : contacts!.get(contactId);
    if (contact === undefined) {
      throw invalidField('contact_id', `contact_id: there is no contact ${contactId}`, 'not_found');
    }
    const externalId = contacts?.get(contactId!)?.external_id ?? null;
    const owner = { messageId: 0, texts, contactId: contactId ?? null, externalId };
    const dataOf = await loadData(db.points(companyId), companyId, [owner], clock.now());
    const urls = { unsubscribe_url: '#', preferences_url: '#' };
    return {
      contact: contact as RenderContext,
      company: { name, currency },
      ...eventContext({}),
      vars: {},
      ...urls,
      ...dataOf(owner.messageId),
      ...values,
    };
  }

  async function ofSender(companyId: number, { channel, from }: Written): Promise<Finding[]> {
    if (channel !== 'email' || from === undefined) return [];
    const company = await companies.get(companyId);
    return deps.leaves || activeAccount(company, 'email') !== null ? senderFindings(company, from) : [];
  }

  /** Renders and, unless it is only a check, produces what is shown. */
  async function rendered(
    companyId: number,
    written: Written,
    of: PreviewOf,
    { checkOnly, known }: { checkOnly: boolean; known?: KnownNames },
  ) {
    const { channel, content, subject, preview_text: previewText } = written;
    const texts = [content, subject ?? null, previewText ?? null];
    const context = { ...(await contextOf(companyId, texts, of)), ...sampleCoupons(couponsIn(texts)) };
    const compiled =
      channel === 'email'
        ? await compiler.compile(content, { companyId, priority: 'interactive' })
        : { ok: true as const, html: content, warnings: [] };
    if (!compiled.ok) throw invalidField('content', `content: ${compiled.error}`);
    const result = await renderer.preview(companyId, {
      channel,
      content: compiled.html,
      subject: subject ?? '',
      previewText: previewText ?? '',
      context: JSON.stringify(context),
      checkOnly,
      ...(known === undefined ? {} : { known }),
    });
    if (result.ok) {
      const findings = [...result.findings, ...(known === undefined ? [] : await ofSender(companyId, written))];
      return { ...result, findings, warnings: [...compiled.warnings, ...findings.map(sentenceOf)] };
    }
    const { field, failure } = result;
    throw invalidField(field, `${field}: ${failure.error}${failure.line === null ? '' : ` (line ${failure.line})`}`);
  }

  return {
    async preview(companyId, written, of) {
      const known = await variables(companyId);
      const made = await rendered(companyId, written, of, { checkOnly: false, known });
      const { subject, previewText, html, text, warnings, findings, addresses } = made;
      if (written.channel === 'email') {
        return { subject, preview_text: previewText, html, text, sms: null, warnings, findings, addresses };
      }
      const body = smsText(text);
      const sms = countSegments(body);
      return { subject: null, preview_text: null, html: null, text: body, sms, warnings, findings, addresses };
    },
    annotate: (...of) => renderer.annotate(...of),
    async check(companyId, written) {
      await rendered(companyId, written, {}, { checkOnly: true });
    },
    async warningsOf(companyId, written) {
      const known = await variables(companyId);
      return (await rendered(companyId, written, {}, { checkOnly: true, known })).warnings;
    },
    variables,
  };
}

/** Companies whose names are cached, about 10 kB each. */
const COMPANIES = 500;
const KEPT_MS = 60_000;

/** Returns the variables that messages of a company may use. The properties of its contacts are up to a minute old. */
export function createKnownNames(
  db: Pick<Db, 'lists'>,
  now: () => number = monotonicMs,
): (companyId: number) => Promise<KnownNames> {
  const properties = new LRUCache<number, string[]>({
    max: COMPANIES,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now },
    fetchMethod: async (companyId) => findPropertyNames(db.lists(companyId), companyId),
  });
  return async (companyId) => {
    const [names, { coupons, customFields }] = await Promise.all([
      properties.fetch(companyId),
      (async () => findShopNames(db.lists(companyId), companyId))(),
    ]);
    return knownNames(names ?? [], coupons, customFields);
  };
}

/** Returns findings on a sender; null is the company's own. Mail of a domain that is not verified is not signed. */
function senderFindings(company: SendingCompany, sender: string | null): Finding[] {
  const { address } = senderOf(sender, company);
  if (isAligned(company, address)) return [];
  const detail = domainOfAddress(address).slice(0, 200);
  return [{ code: 'unverified_sender', field: 'from', detail, suggestion: null }];
}
