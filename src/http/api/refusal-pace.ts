import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';

/** Refusals of one sender in a second; so many at once are not delayed. */
const PER_SECOND = 500;
const AT_ONCE = 100;
const MAX_DELAY_MS = 2_000;

/**
 * Spaces out responses of 429. A client that ignores Retry-After on a thousand connections would otherwise be refused ten
 * thousand times a second, and keep the event loop from everybody else with nothing but refusals.
 */
export class RefusalPace {
  /** When the last refusal of a sender leaves, in milliseconds. */
  private readonly last = new Map<number | string, number>();
  private readonly slotMs: number;
  private readonly atOnce: number;

  constructor(perSecond = PER_SECOND, atOnce = AT_ONCE) {
    this.slotMs = 1_000 / perSecond;
    this.atOnce = atOnce;
  }

  /** Milliseconds for which this refusal of the sender is to be held back. */
  delay(sender: number | string, now = monotonicMs()): number {
    const earliest = now - this.atOnce * this.slotMs;
    const leaves = Math.min(Math.max(this.last.get(sender) ?? 0, earliest) + this.slotMs, now + MAX_DELAY_MS);
    // The order is that of the last refusals: who was refused longest ago is first.
    this.last.delete(sender);
    this.last.set(sender, leaves);
    for (const [other, at] of this.last) {
      if (at > earliest) break;
      this.last.delete(other);
    }
    return Math.max(0, leaves - now);
  }

  async wait(sender: number | string): Promise<void> {
    const ms = this.delay(sender);
    if (ms >= 1) await pause(ms);
  }
}
