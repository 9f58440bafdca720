/** Measures so many times, after one run that fills caches and loads code. */
export async function repeat(times: number, work: (n: number) => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  await work(0);
  for (let n = 1; n <= times; n++) found.push(await work(n));
  return found;
}

/** The 95th percentile. */
export function slowest(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

export function middle(times: number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
}
