export interface Turns {
  /** Runs the task as soon as fewer than the limit are running, in order of arrival. */
  take<T>(task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is running or waiting. */
  done(): Promise<void>;
}

export function createTurns(limit: number): Turns {
  const waiting: (() => void)[] = [];
  const onDone: (() => void)[] = [];
  let running = 0;
  return {
    async take(task) {
      if (running >= limit) await new Promise<void>((start) => waiting.push(start));
      else running += 1;
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        // The slot is passed on, not freed: a newcomer must not overtake.
        if (next) next();
        else running -= 1;
        if (running === 0) for (const resolve of onDone.splice(0)) resolve();
      }
    },
    async done() {
      if (running > 0) await new Promise<void>((resolve) => onDone.push(resolve));
    },
  };
}
