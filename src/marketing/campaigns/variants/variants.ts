import type { FieldError } from '../../../errors.ts';
import type { AbTest, Variant } from '../campaign-schema.ts';
import type { Counts } from '../report/contract.ts';

/** The upper bound of each variant in the range of the draw, and `total`, the size of that range. */
export function boundsOf(variants: Variant[]): { keys: string[]; bounds: number[]; total: number } {
  const total = variants.reduce((sum, variant) => sum + variant.weight, 0);
  if (total === 0) return { keys: [], bounds: [], total: 1 };
  let upTo = 0;
  const bounds = variants.map((variant) => {
    upTo += variant.weight;
    return upTo;
  });
  return { keys: variants.map((variant) => variant.key), bounds, total };
}

/** Errors of variants that contradict each other or `ab_test`. */
export function variantErrors({
  variants,
  ab_test,
  send_in_contact_time_zone,
}: {
  variants: Variant[];
  ab_test: AbTest | null;
  send_in_contact_time_zone: boolean;
}): FieldError[] {
  const errors: FieldError[] = [];
  const fail = (field: string, message: string): void => void errors.push({ field, code: 'invalid', message });
  const drawn = variants.filter((variant) => variant.weight > 0);
  if (new Set(variants.map((variant) => variant.key)).size < variants.length)
    fail('variants', 'variants must have different keys');
  if (variants.length > 0 && drawn.length === 0) fail('variants', 'One of the variants needs a weight');
  if (ab_test !== null && drawn.length < 2) fail('ab_test', 'ab_test needs two variants with a weight to compare');
  if (ab_test !== null && send_in_contact_time_zone)
    fail('ab_test', 'ab_test would end before the last time zone: it does not go with send_in_contact_time_zone');
  return errors;
}

/** The key of the variant with the highest metric per sent message; on a tie the one with the larger weight, then the first. */
export function winnerOf(
  variants: Variant[],
  metric: AbTest['metric'],
  countsOf: (key: string) => Pick<Counts, 'sent' | AbTest['metric']>,
): string {
  const ranked = variants
    .filter((variant) => variant.weight > 0)
    .map(({ key, weight }) => {
      const counts = countsOf(key);
      return { key, weight, rate: counts.sent === 0 ? 0 : counts[metric] / counts.sent };
    });
  return ranked.toSorted((a, b) => b.rate - a.rate || b.weight - a.weight)[0]!.key;
}
