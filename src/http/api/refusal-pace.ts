import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';

/** Refusals per second of one sender; bursts of up to AT_ONCE are not delayed. */
const PER_SECOND = 500;
const AT_ONCE = 100;
const MAX_DELAY_MS = 2_000;

/**
 * Spaces out 429 responses. Otherwise a client that ignores Retry-After on a thousand connections would be refused ten thousand times a
 * second and keep the event loop busy with nothing but refusals.
 */
export class RefusalPace {
  /** When each sender's last refusal is sent, in milliseconds. */
  private readonly last = new Map<number | string, number>();
  private readonly slotMs: number;
  private readonly atOnce: number;

  constructor(perSecond = PER_SECOND, atOnce = AT_ONCE) {
    this.slotMs = 1_000 / perSecond;
    this.atOnce = atOnce;
  }

  /** Returns the milliseconds by which to delay this refusal of the sender. */
  delay(sender: number | string, now = monotonicMs()): number {
    const earliest = now - this.atOnce * this.slotMs;
    const leaves = Math.min(Math.max(this.last.get(sender) ?? 0, earliest) + this.slotMs, now + MAX_DELAY_MS);
    // Ordered by last refusal: the sender refused longest ago comes first.
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
