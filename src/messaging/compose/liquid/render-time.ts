import { processorMs, timeLeft } from '../../../lib/threads/processor-time.ts';

/** Least time between two measurements of a rendering that waits for a processor. */
const LEAST_MS = 1;

/**
 * Returns a function that throws when a rendering has used up its processor time. LiquidJS calls it first when the rendering begins, then
 * before each part of a template, with milliseconds of a monotonic clock.
 */
export function limitTime(milliseconds: number): (now: number) => void {
  const usedBefore = processorMs();
  let began: number | null = null;
  let until = 0;
  return (now) => {
    if (began === null) {
      began = now;
      until = now + milliseconds;
    }
    if (now <= until) return;
    const left = timeLeft(milliseconds, { used: processorMs() - usedBefore, passed: now - began });
    if (left <= 0) throw new Error('template render limit exceeded');
    until = now + Math.max(LEAST_MS, left);
  };
}
