import { type Draft, type Step, stepOf, TRIGGER } from './draft.ts';

/** Whether a run waits at the step. A delay of 0 does not count. */
function isWait(step: Step): boolean {
  if (step.type === 'delay') return Number(step.config?.value) > 0;
  return step.type === 'wait_until' || step.type === 'wait_for_event';
}

/** Returns why a connection to a step is not allowed: the trigger is always the start, and a loop needs a wait. */
export function whyNotConnect(draft: Draft, from: string, to: string): 'trigger' | 'loop' | null {
  if (to === TRIGGER) return 'trigger';
  return from !== TRIGGER && closesBusyLoop(draft, from, to) ? 'loop' : null;
}

/** Whether `to` leads back to `from` without a wait on the way. */
function closesBusyLoop(draft: Draft, from: string, to: string): boolean {
  const waits = (id: string): boolean => {
    const step = stepOf(draft, id);
    return step !== undefined && isWait(step);
  };
  if (waits(from) || waits(to)) return false;
  const seen = new Set<string>();
  const front = [to];
  for (let id = front.pop(); id !== undefined; id = front.pop()) {
    if (id === from) return true;
    if (seen.has(id) || waits(id)) continue;
    seen.add(id);
    for (const one of draft.connections) if (one.from === id) front.push(one.to);
  }
  return false;
}
