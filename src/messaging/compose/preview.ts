import type { CompanyCache } from '../../access/company-cache.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import type { Channel } from '../ledger/message.ts';
import { countSegments, type SegmentCount, smsText } from '../send/transports/sms-segments.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { ContentCompiler } from './content/content-compiler.ts';
import { eventContext } from './content/content-loader.ts';
import type { RenderContext } from './liquid/engine.ts';
import type { Renderer } from './liquid/renderer.ts';
import type { TemplateContact } from './load-drafts.ts';

/** What somebody wrote, before it is sent. */
export interface Written {
  channel: Channel;
  subject?: string | null;
  preview_text?: string | null;
  content: string;
}

export interface PreviewOf {
  /** Whose values are put in; nobody's where absent. */
  contactId?: number;
  /** Further values by their name in templates: `event` and the like. */
  values?: RenderContext;
}

/** What the recipient would see. */
export interface Preview {
  subject: string | null;
  preview_text: string | null;
  /** Made harmless; null for an SMS. */
  html: string | null;
  text: string;
  /** How it is charged; null for an e-mail. */
  sms: SegmentCount | null;
  /** What the MJML compiler complained about. */
  warnings: string[];
}

export interface Previewer {
  /**
   * Throws validation_failed for a contact that does not exist, and where a part cannot be compiled or rendered;
   * rate_limited while too many of the company wait.
   */
  preview(companyId: number, written: Written, of: PreviewOf): Promise<Preview>;
  /** Throws what `preview` throws, for nobody in particular. */
  check(companyId: number, written: Written): Promise<void>;
}

export interface PreviewerDeps {
  db: Pick<Db, 'points'>;
  companies: CompanyCache<SendingCompany>;
  renderer: Renderer;
  compiler: ContentCompiler;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
}

export function createPreviewer({ db, companies, renderer, compiler, loadContacts }: PreviewerDeps): Previewer {
  async function contextOf(companyId: number, { contactId, values }: PreviewOf): Promise<RenderContext> {
    const { name, currency } = await companies.get(companyId);
    const contacts = contactId === undefined ? null : await loadContacts(db.points(companyId), companyId, [contactId]);
    const contact = contactId === undefined ? {} : contacts!.get(contactId);
    if (contact === undefined) {
      throw invalidField('contact_id', `contact_id: there is no contact ${contactId}`, 'not_found');
    }
    const urls = { unsubscribe_url: '#', preferences_url: '#' };
    return {
      contact: contact as RenderContext,
      company: { name, currency },
      ...eventContext({}),
      vars: {},
      ...urls,
      ...values,
    };
  }

  /** Renders and, unless it is for a check alone, makes what is shown. */
  async function rendered(companyId: number, written: Written, of: PreviewOf, checkOnly: boolean) {
    const context = await contextOf(companyId, of);
    const { channel, content, subject, preview_text: previewText } = written;
    const compiled =
      channel === 'email'
        ? await compiler.compile(content, { companyId, lane: 'interactive' })
        : { ok: true as const, html: content, warnings: [] };
    if (!compiled.ok) throw invalidField('content', `content: ${compiled.error}`);
    const result = await renderer.preview(companyId, {
      channel,
      content: compiled.html,
      subject: subject ?? '',
      previewText: previewText ?? '',
      context: JSON.stringify(context),
      checkOnly,
    });
    if (result.ok) return { ...result, warnings: compiled.warnings };
    const { field, failure } = result;
    throw invalidField(field, `${field}: ${failure.error}${failure.line === null ? '' : ` (line ${failure.line})`}`);
  }

  return {
    async preview(companyId, written, of) {
      const { subject, previewText, html, text, warnings } = await rendered(companyId, written, of, false);
      if (written.channel === 'email') return { subject, preview_text: previewText, html, text, sms: null, warnings };
      const body = smsText(text);
      return { subject: null, preview_text: null, html: null, text: body, sms: countSegments(body), warnings: [] };
    },
    async check(companyId, written) {
      await rendered(companyId, written, {}, true);
    },
  };
}
