/** Processor time that this thread has used so far, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** How much longer than its processor time a job may take by the clock, on a machine that is busy with other work. */
const MOST_WALL_TIMES = 5;

/**
 * Returns how long a job with a limit on its processor time may continue; 0 or less once its time is up. `used` is its processor time so
 * far, `passed` the time since it began. All times are in milliseconds.
 */
export function timeLeft(limit: number, { used, passed }: { used: number; passed: number }): number {
  return Math.min(limit - used, MOST_WALL_TIMES * limit - passed);
}
