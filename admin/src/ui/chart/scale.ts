const STEPS = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8];

/** Returns the top of a scale of four parts that reaches the value: a round number whose quarter is whole. */
export function niceCeiling(value: number): number {
  if (value <= 12) return value <= 4 ? 4 : value <= 8 ? 8 : 12;
  const power = 10 ** Math.floor(Math.log10(value));
  return STEPS.map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}
