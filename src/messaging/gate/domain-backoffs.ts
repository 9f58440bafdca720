import type { ClaimedMessage } from '../ledger/message.ts';
import type { DeliveryResult } from '../send/transports/port.ts';

/**
 * Recipient domains that currently defer messages, because of greylisting or their own limits. Kept separately for each company, so that a
 * domain's objections to one company's mails do not delay another's. In each process's memory, and relearned after a restart.
 */
export interface DomainBackoffs {
  /** Whether the company has any back-off: usually it has none, and no addresses are looked up. */
  any(companyId: number, now: Date): boolean;
  /** Returns when the message may be tried; null means now. */
  until(message: Pick<ClaimedMessage, 'companyId' | 'channel' | 'wantedAt'>, to: string, now: Date): Date | null;
  note(message: Pick<ClaimedMessage, 'companyId' | 'channel'>, to: string, result: DeliveryResult, now: Date): void;
}

interface Backoff {
  failures: number;
  /** Back-offs in a row. */
  times: number;
  until: number;
}

/** Deferrals in a row before a back-off. Greylisting defers each pair of sender and recipient once, so some must be tried each time. */
const TOLERATED = 5;
const FIRST_BACKOFF_MS = 60_000;
const LONGEST_BACKOFF_MS = 15 * 60_000;
/** After waiting this long a message is tried whatever its domain did to others, so that its own attempts end it. */
const LONGEST_WAIT_MS = 3 * 24 * 3_600_000;
const MOST_DOMAINS = 10_000;

export function createDomainBackoffs(): DomainBackoffs {
  /** By company and domain; the one that deferred least recently is evicted first. */
  const backoffs = new Map<string, Backoff>();
  /** When the last backoff of each company ends. */
  const latest = new Map<number, number>();

  return {
    any: (companyId, now) => (latest.get(companyId) ?? 0) > now.getTime(),
    until({ companyId, channel, wantedAt }, to, now) {
      if (channel !== 'email' || now.getTime() - wantedAt.getTime() > LONGEST_WAIT_MS) return null;
      const until = backoffs.get(keyOf(companyId, to))?.until ?? 0;
      return isAhead(until, now) ? new Date(until) : null;
    },
    note({ companyId, channel }, to, result, now) {
      if (channel !== 'email') return;
      const key = keyOf(companyId, to);
      if (result.kind !== 'failed' || result.fault !== 'domain') {
        // A failure of the mail server itself is not evidence about the domain.
        if (result.kind !== 'failed' || result.fault !== 'service') backoffs.delete(key);
        return;
      }
      const backoff = backoffs.get(key) ?? { failures: 0, times: 0, until: 0 };
      // Messages already in flight when the backoff began tell nothing new.
      if (isAhead(backoff.until, now)) return;
      backoff.failures += 1;
      if (backoff.failures >= TOLERATED) {
        backoff.until = now.getTime() + Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** backoff.times);
        backoff.times += 1;
        backoff.failures = 0;
        latest.set(companyId, Math.max(latest.get(companyId) ?? 0, backoff.until));
      }
      backoffs.delete(key);
      backoffs.set(key, backoff);
      if (backoffs.size > MOST_DOMAINS) backoffs.delete(backoffs.keys().next().value!);
    },
  };
}

/** Whether a backoff is still in effect. One that ends later than any backoff lasts was set while the clock was ahead. */
function isAhead(until: number, now: Date): boolean {
  const left = until - now.getTime();
  return left > 0 && left <= LONGEST_BACKOFF_MS;
}

export const NO_BACKOFFS: Pick<DomainBackoffs, 'until'> = { until: () => null };

function keyOf(companyId: number, address: string): string {
  return `${companyId} ${domainOf(address)}`;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
