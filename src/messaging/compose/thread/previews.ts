import { insertAtEnd, rewriteAddresses, withScheme } from '../links/html.ts';
import { BODY_LIMITS, LINE_LIMITS } from '../liquid/limits.ts';
import { pathsIn, type RenderContext, renderTemplate } from '../liquid/render.ts';
import { singleLine } from '../mime/email-content.ts';
import { textFromHtml } from '../mime/html-text.ts';
import { addressesIn } from '../warnings/addresses.ts';
import { type Finding, hasFewWords, hasManyCapitals, markupFindings } from '../warnings/findings.ts';
import { type KnownNames, unknownPaths } from '../warnings/variables.ts';
import type { Annotated, ClickedLink, PreviewJob, PreviewResult } from './jobs.ts';
import { sanitisePreview } from './sanitise.ts';

/** Renders a draft as its recipient would see it, safe to show, and finds probable mistakes. */
export function preview(job: PreviewJob): PreviewResult {
  const context: RenderContext = JSON.parse(job.context);
  const isMail = job.channel === 'email';
  const body = renderTemplate(job.content, context, { html: isMail, limits: BODY_LIMITS });
  if (!body.ok) return { ok: false, field: 'content', failure: body };
  const subject = renderTemplate(job.subject, context, { html: false, limits: LINE_LIMITS });
  if (!subject.ok) return { ok: false, field: 'subject', failure: subject };
  const previewText = renderTemplate(job.previewText, context, { html: false, limits: LINE_LIMITS });
  if (!previewText.ok) return { ok: false, field: 'preview_text', failure: previewText };
  const shown = isMail && !job.checkOnly;
  const { known } = job;
  const text = isMail && (shown || known !== undefined) ? textFromHtml(body.text) : isMail ? '' : body.text;
  const line = singleLine(subject.text);
  return {
    ok: true,
    subject: line,
    previewText: singleLine(previewText.text),
    html: shown ? sanitisePreview(body.text) : '',
    text,
    findings:
      known === undefined
        ? []
        : findingsOf({ source: job, rendered: { subject: line, html: body.text, text }, email: isMail, known }),
    addresses: shown ? addressesIn(body.text, job.content) : [],
  };
}

interface Examined {
  /** As written. */
  source: { subject: string; previewText: string; content: string };
  /** As rendered for someone; text: the readable part of an e-mail. */
  rendered: { subject: string; html: string; text: string };
  email: boolean;
  known: KnownNames;
}

const HREF_NOWHERE = /\shref\s*=\s*(["'])\s*#\s*\1/i;

/** Finds everything that the writer of a message should check. */
export function findingsOf({ source, rendered, email, known }: Examined): Finding[] {
  const fields = { subject: source.subject, preview_text: source.previewText, content: source.content } as const;
  const findings: Finding[] = (['subject', 'preview_text', 'content'] as const).flatMap((field) =>
    unknownPaths(pathsIn(fields[field]), known).map(({ path, nearest }) => ({
      code: 'unknown_variable' as const,
      field,
      detail: path.slice(0, 200),
      suggestion: nearest,
    })),
  );
  const note = (code: Finding['code'], field: Finding['field'], detail: string | null = null): void => {
    findings.push({ code, field, detail, suggestion: null });
  };
  if (hasManyCapitals(rendered.subject, { letters: 10, share: 0.6 })) note('many_capitals', 'subject');
  if (!email) return findings;
  const markup = markupFindings(rendered.html);
  if (HREF_NOWHERE.test(source.content) && markup.every(({ code }) => code !== 'empty_link'))
    note('empty_link', 'content');
  for (const { code, detail } of markup) {
    if (code !== 'few_words' || hasFewWords(rendered.text)) note(code, 'content', detail);
  }
  if (hasManyCapitals(rendered.text, { letters: 100, share: 0.4 })) note('many_capitals', 'content');
  if (!/\b(unsubscribe|preferences)_url\b/.test(source.content)) note('no_unsubscribe', 'content');
  return findings;
}

/** Returns the prefix that a link which differs by recipient has in every mail; null if the link is the same in all. */
function prefixOf(url: string): string | null {
  const at = url.search(/\{\{|\{%/);
  return at <= 0 ? null : url.slice(0, at);
}

/**
 * Shows the clicks on the links of a mail, using styles only. Each link's target becomes a fragment name that leads nowhere, and its click
 * count follows its text. Links that nobody clicked show 0; other addresses stay unchanged.
 */
export function annotate(html: string, links: readonly ClickedLink[]): Annotated {
  const byUrl = new Map(links.map(({ url }, i) => [url, i]));
  const personal = links
    .map(({ url }, i) => ({ prefix: prefixOf(url), i }))
    .filter((one): one is { prefix: string; i: number } => one.prefix !== null)
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const places = links.map(() => 0);
  const marked = rewriteAddresses(html, (written, followed) => {
    if (!followed) return null;
    const address = withScheme(written);
    if (!/^https?:/i.test(address)) return '#';
    const place = byUrl.get(address) ?? personal.find(({ prefix }) => address.startsWith(prefix))?.i;
    if (place === undefined) return '#clicks-none';
    places[place]! += 1;
    return `#clicks-${place}`;
  });
  const rules = places.flatMap((n, i) => (n === 0 ? [] : [rule(`clicks-${i}`, links[i]!.clicks)]));
  return { html: insertAtEnd(marked, `<style>${SHAPE}${rules.join('')}${rule('clicks-none', 0)}</style>`), places };
}

/** Dark on light and light on dark: readable on any background of the mail. */
const SHAPE =
  'a[href^="#clicks-"]{outline:2px solid #1c3fb7!important;outline-offset:1px}' +
  'a[href^="#clicks-"]::after{display:inline-block!important;margin:0 0 0 4px!important;padding:1px 7px!important;' +
  'border:1px solid #fff!important;border-radius:9px!important;background:#1c3fb7!important;color:#fff!important;' +
  'font:600 12px/16px sans-serif!important;text-decoration:none!important;vertical-align:top!important}';

function rule(name: string, clicks: number): string {
  return `a[href="#${name}"]::after{content:"${clicks}"!important}`;
}
