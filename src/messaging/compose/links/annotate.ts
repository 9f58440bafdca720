import { insertAtEnd, rewriteAddresses, withScheme } from './links.ts';

export interface ClickedLink {
  url: string;
  clicks: number;
}

export interface Annotated {
  html: string;
  /** How often each link occurs in the mail, indexed like the list of links. */
  places: number[];
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
