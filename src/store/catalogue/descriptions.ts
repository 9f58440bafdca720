import { type Html, hasTags, html } from '../../lib/html.ts';
import { createTextCache } from '../../lib/text-cache.ts';
import type { Renderer } from '../../messaging/compose/renderer.ts';

/** A description as a shop's pages show it. */
export interface ShownDescription {
  /** Safe to insert into a page. */
  html: string;
  /** The beginning of its text, for search engines. */
  summary: string;
}

/** What search engines show of a description, in characters. */
const SUMMARY_LENGTH = 160;
const CACHED = 10_000;
/** Of texts and what is made of them, in characters. */
const CACHED_SIZE = 8_000_000;

export type ShowDescription = (companyId: number, text: string) => Promise<ShownDescription>;

/**
 * Makes descriptions safe to show, whoever stored them. Those with tags are sanitised by the threads for texts (about 1 ms for a short one),
 * and the results are kept: the pages of a shop show the same ones over and over.
 */
export function createShowDescription(renderer: Pick<Renderer, 'showDescription'>): ShowDescription {
  const shown = createTextCache<ShownDescription>(CACHED, CACHED_SIZE);
  return async (companyId, text) => {
    if (!hasTags(text)) return shownText(text);
    const key = `${companyId} ${text}`;
    const known = shown.get(key);
    if (known !== undefined) return known;
    const made = await renderer.showDescription(companyId, text);
    const result = made === null ? shownText(text) : { html: made.html, summary: beginningOf(made.text) };
    shown.set(key, result, { size: key.length + result.html.length + result.summary.length });
    return result;
  };
}

/** A text without tags: an empty line begins a paragraph, another end of line stays one. */
function shownText(text: string): ShownDescription {
  const paragraphs = text.split(/\r?\n\s*\n/).map((paragraph) => paragraph.trim());
  const made = paragraphs.filter((paragraph) => paragraph !== '').map((one) => html`<p>${lines(one)}</p>`);
  return { html: html`${made}`.text, summary: beginningOf(text) };
}

const lines = (text: string): Html[] =>
  text.split(/\r?\n/).map((line, i) => (i === 0 ? html`${line}` : html`<br />${line}`));

/** The first words of a text, on one line. */
function beginningOf(text: string): string {
  const line = text
    .slice(0, 10 * SUMMARY_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= SUMMARY_LENGTH) return line;
  const cut = line.slice(0, SUMMARY_LENGTH);
  const end = cut.lastIndexOf(' ');
  return `${end > 0 ? cut.slice(0, end) : cut.slice(0, -1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
