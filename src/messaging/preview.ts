import type { CompanyCache } from '../access/company-versions.ts';
import type { Queryable } from '../db/pool.ts';
import { invalidField } from '../errors.ts';
import type { TemplateContact } from './compose.ts';
import { type ContentCompiler, sanitisePreview } from './content.ts';
import type { Renderer } from './liquid.ts';
import type { RenderContext } from './liquid-engine.ts';
import type { Channel } from './message.ts';
import { singleLine, textFromHtml } from './mime.ts';
import type { SendingCompany } from './settings.ts';
import { eventContext } from './sources.ts';
import { countSegments, type SegmentCount, smsText } from './transports/sms-segments.ts';

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
  /** Throws validation_failed for a contact that does not exist, and where a part cannot be compiled or rendered. */
  preview(companyId: number, written: Written, of: PreviewOf): Promise<Preview>;
  /** Throws what `preview` throws, for nobody in particular. */
  check(companyId: number, written: Written): Promise<void>;
}

export interface PreviewerDeps {
  db: Queryable;
  companies: CompanyCache<SendingCompany>;
  renderer: Renderer;
  compiler: ContentCompiler;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
}

export function createPreviewer({ db, companies, renderer, compiler, loadContacts }: PreviewerDeps): Previewer {
  async function contextOf(companyId: number, { contactId, values }: PreviewOf): Promise<RenderContext> {
    const { name, currency } = await companies.get(companyId);
    const contacts = contactId === undefined ? null : await loadContacts(db, companyId, [contactId]);
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

  async function preview(companyId: number, written: Written, of: PreviewOf): Promise<Preview> {
    const context = await contextOf(companyId, of);
    const isMail = written.channel === 'email';
    const compiled = isMail
      ? await compiler.compile(written.content)
      : { ok: true as const, html: written.content, warnings: [] };
    if (!compiled.ok) throw invalidField('content', `content: ${compiled.error}`);
    const parts = [
      { field: 'content', text: compiled.html, html: isMail },
      { field: 'subject', text: written.subject ?? '', html: false },
      { field: 'preview_text', text: written.preview_text ?? '', html: false },
    ];
    const rendered = await renderer.render(parts.map(({ text, html }) => ({ text, html, context })));
    const [body, subject, previewText] = rendered.map((result, i) => {
      if (result.ok) return result.text;
      const { field } = parts[i]!;
      throw invalidField(field, `${field}: ${result.error}${result.line === null ? '' : ` (line ${result.line})`}`);
    });
    if (!isMail) {
      const text = smsText(body!);
      return { subject: null, preview_text: null, html: null, text, sms: countSegments(text), warnings: [] };
    }
    return {
      subject: singleLine(subject!),
      preview_text: singleLine(previewText!),
      html: sanitisePreview(body!),
      text: textFromHtml(body!),
      sms: null,
      warnings: compiled.warnings,
    };
  }

  return {
    preview,
    async check(companyId, written) {
      await preview(companyId, written, {});
    },
  };
}
