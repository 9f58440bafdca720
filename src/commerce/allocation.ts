/**
 * Splits `whole` in proportion to `weights` by the largest remainder: every part is its exact share rounded down, and
 * the units that are left go one each to the largest remainders (equal ones: the greater weight, then the earlier).
 * Σ parts = whole, and no part exceeds its weight as long as whole ≤ Σ weights.
 * Whole numbers ≥ 0, Σ weights ≤ 2^53; weights that are all zero get nothing, so `whole` must be 0 then.
 */
export function allocate(whole: number, weights: readonly number[]): number[] {
  let total = 0;
  for (const weight of weights) total += weight;
  const parts = new Array<number>(weights.length).fill(0);
  if (total === 0 || whole === 0) return parts;
  // whole × weight ≤ whole × total, so one look at that product decides for all of them.
  if (whole * total > Number.MAX_SAFE_INTEGER) return allocateBig(BigInt(whole), weights.map(BigInt)).map(Number);

  const remainders = new Array<number>(weights.length);
  let left = whole;
  for (let i = 0; i < weights.length; i++) {
    const product = whole * weights[i]!;
    const remainder = product % total;
    const part = (product - remainder) / total;
    remainders[i] = remainder;
    parts[i] = part;
    left -= part;
  }
  if (left > 0) for (const i of byRemainder(remainders, weights, left)) parts[i]! += 1;
  return parts;
}

/** The same for amounts beyond 2^53. */
export function allocateBig(whole: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map(() => 0n);
  const parts = weights.map((weight) => (whole * weight) / total);
  const left = whole - parts.reduce((sum, part) => sum + part, 0n);
  const remainders = weights.map((weight) => (whole * weight) % total);
  for (const i of byRemainder(remainders, weights, Number(left))) parts[i]! += 1n;
  return parts;
}

/** The indexes of the `count` largest remainders. */
function byRemainder<T extends number | bigint>(
  remainders: readonly T[],
  weights: readonly T[],
  count: number,
): number[] {
  const order = (a: T, b: T) => (a > b ? -1 : a < b ? 1 : 0);
  return [...remainders.keys()]
    .sort((i, j) => order(remainders[i]!, remainders[j]!) || order(weights[i]!, weights[j]!) || i - j)
    .slice(0, count);
}
