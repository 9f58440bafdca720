const STEPS = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8];

/** Where a scale of four parts ends that reaches the value: a number whose quarter is whole and round. */
export function niceCeiling(value: number): number {
  if (value <= 12) return value <= 4 ? 4 : value <= 8 ? 8 : 12;
  const power = 10 ** Math.floor(Math.log10(value));
  return STEPS.map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}
