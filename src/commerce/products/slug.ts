import { hash } from 'node:crypto';
import { notFound } from '../../errors.ts';
import { inLatin } from '../../lib/letters/latin.ts';

const MAX_BASE = 240;
const MAX_CATEGORY = 100;

/** Parses a path's reference to a record by id or slug: digits alone are an id, without leading zeros. Throws not_found. */
export function parseRef(text: string, noun = 'product'): number | string {
  if (!/^\d+$/.test(text)) return text;
  const id = Number(text);
  if (!Number.isSafeInteger(id) || String(id) !== text) throw notFound(noun);
  return id;
}

/**
 * Returns a slug made from a name: its letters and digits in the Latin alphabet, joined by hyphens; the noun if none remain. Different
 * names may give the same slug, so it identifies nothing.
 */
export function slugify(name: string, noun = 'product'): string {
  const slug = latinSlug(name, MAX_BASE);
  if (slug === '') return noun;
  // Paths take ids and slugs, and digits alone would be parsed as an id.
  return /[a-z]/.test(slug) ? slug : `${noun}-${slug}`;
}

/** Whether the text may be the slug of a product as it is. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_BASE && /^(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** Letters of alphabets that are transliterated letter by letter. */
const SPELLED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]/u;

/**
 * Returns the slug of a category, which is its only key. Where words that differ may be transliterated alike, as those of Chinese are,
 * where nothing would remain, and where the text is too long, the slug ends with a part of the text's hash.
 */
export function categorySlug(name: string): string {
  const slug = latinSlug(name, Number.POSITIVE_INFINITY);
  if (slug !== '' && slug.length <= MAX_CATEGORY && [...name].every((letter) => SPELLED.test(letter))) return slug;
  const digest = hash('sha256', name.normalize('NFKC').toLowerCase()).slice(0, 8);
  const short = slug.slice(0, MAX_CATEGORY - 9).replace(/-$/, '');
  return `${short === '' ? 'category' : short}-${digest}`;
}

function latinSlug(text: string, max: number): string {
  return inLatin(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, max)
    .replace(/-$/, '');
}

/** Numbers that one query checks. */
const ASKED_AT_ONCE = 32;

/**
 * Returns `base`, or `base-n` with an n that is free while n - 1 is taken; up to 32, the first such. However many are taken, it needs only
 * a few queries of a few dozen slugs.
 */
export async function findFree(
  base: string,
  takenAmong: (slugs: string[]) => Promise<ReadonlySet<string>>,
): Promise<string> {
  const slugOf = (n: number): string => (n === 1 ? base : `${base}-${n}`);
  const firstFree = async (numbers: number[]): Promise<number> => {
    const taken = await takenAmong(numbers.map(slugOf));
    const at = numbers.findIndex((n) => !taken.has(slugOf(n)));
    return at === -1 ? numbers.length : at;
  };
  const few = Array.from({ length: ASKED_AT_ONCE }, (_, i) => i + 1);
  const doubled = Array.from({ length: 24 }, (_, i) => ASKED_AT_ONCE * 2 ** (i + 1));
  let numbers = [...few, ...doubled];
  for (;;) {
    const at = await firstFree(numbers);
    const free = numbers[at];
    if (free === undefined) throw new Error(`no slug is free for ${base}`);
    const low = numbers[at - 1] ?? 0;
    if (free - low <= 1) return slugOf(free);
    // Checks the numbers in between in even steps; the last one is known to be free.
    const step = Math.ceil((free - low) / ASKED_AT_ONCE);
    numbers = [
      low,
      ...Array.from({ length: ASKED_AT_ONCE }, (_, i) => low + (i + 1) * step).filter((n) => n < free),
      free,
    ];
  }
}

/** Numbers the slugs that are taken, by products that exist or by an earlier one of these. */
export async function freeSlugs(
  rows: readonly { slug: string }[],
  takenAmong: (slugs: string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const used = new Set(await takenAmong(rows.map(({ slug }) => slug)));
  for (const row of rows) {
    if (used.has(row.slug)) {
      row.slug = await findFree(row.slug, async (asked) => {
        const taken = await takenAmong(asked);
        return new Set(asked.filter((slug) => taken.has(slug) || used.has(slug)));
      });
    }
    used.add(row.slug);
  }
}
