import { foldText } from '../../db/fold.ts';
import { notFound } from '../../errors.ts';

const MAX_BASE = 240;

/** Parses a path's reference to a product by id or slug: digits alone are an id, without leading zeros. Throws not_found. */
export function parseRef(text: string): number | string {
  if (!/^\d+$/.test(text)) return text;
  const id = Number(text);
  if (!Number.isSafeInteger(id) || String(id) !== text) throw notFound('product');
  return id;
}

/** Returns a slug made from a name: normalised letters and digits joined by hyphens; `product` if none remain. */
export function slugify(name: string): string {
  const slug = foldText(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_BASE)
    .replace(/^-+|-+$/g, '');
  if (slug === '') return 'product';
  // Paths take ids and slugs, and digits alone would be parsed as an id.
  return /[a-z]/.test(slug) ? slug : `product-${slug}`;
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
