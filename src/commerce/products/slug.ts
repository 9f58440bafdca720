import { foldText } from '../../db/fold.ts';

const MAX_BASE = 240;

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
