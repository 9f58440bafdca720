import { foldText } from '../../db/fold.ts';
import { notFound } from '../../errors.ts';

const MAX_BASE = 240;

/** A path names a product by id or by slug: digits alone are an id, without leading zeros. Throws not_found. */
export function parseRef(text: string): number | string {
  if (!/^\d+$/.test(text)) return text;
  const id = Number(text);
  if (!Number.isSafeInteger(id) || String(id) !== text) throw notFound('product');
  return id;
}

/** A slug made from a name: folded letters and digits joined by hyphens; `product` where nothing of it remains. */
export function slugify(name: string): string {
  const slug = foldText(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_BASE)
    .replace(/^-+|-+$/g, '');
  if (slug === '') return 'product';
  // A path takes ids and slugs: digits alone would be read as an id.
  return /[a-z]/.test(slug) ? slug : `product-${slug}`;
}

/** `base`, or the first of `base-2`, `base-3` … that is not taken. */
export function firstFree(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let n = 2; ; n++) if (!taken.has(`${base}-${n}`)) return `${base}-${n}`;
}
