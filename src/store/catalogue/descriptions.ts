import { LRUCache } from 'lru-cache';
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
/** Of texts and what is made of them, in characters. */
const CACHED = 8_000_000;

export type ShowDescription = (companyId: number, text: string) => Promise<ShownDescription>;

/**
 * Makes descriptions safe to show, whoever stored them. Those with tags are sanitised by the threads for texts (about 1 ms for a short one),
 * and the results are kept: the pages of a shop show the same ones over and over.
 */
export function createShowDescription(renderer: Pick<Renderer, 'showDescription'>): ShowDescription {
  const shown = new LRUCache<string, ShownDescription>({
    maxSize: CACHED,
    sizeCalculation: ({ html, summary }, key) => key.length + html.length + summary.length + 1,
  });
  return async (companyId, text) => {
    // As `sanitiseDescription` tells HTML from text.
    if (!/<[a-z!/?]/i.test(text)) return shownText(text);
    const key = `${companyId} ${text}`;
    const known = shown.get(key);
    if (known !== undefined) return known;
    const made = await renderer.showDescription(companyId, text);
    const result = made === null ? shownText(text) : { html: made.html, summary: beginningOf(made.text) };
    shown.set(key, result);
    return result;
  };
}

/** A text without tags: an empty line begins a paragraph, another end of line stays one. */
function shownText(text: string): ShownDescription {
  const paragraphs = text.split(/\r?\n\s*\n/).map((paragraph) => paragraph.trim());
  const html = paragraphs
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escaped(paragraph).replace(/\r?\n/g, '<br />')}</p>`)
    .join('');
  return { html, summary: beginningOf(text) };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

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
