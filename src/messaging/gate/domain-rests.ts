import type { ClaimedMessage } from '../ledger/message.ts';
import type { DeliveryResult } from '../send/transports/port.ts';

/**
 * Recipient domains that defer messages for now, by greylisting or limits of their own. Of each company apart: what a domain holds against
 * the mails of one must not hold up those of another. In the memory of each process, which learns it anew after a restart.
 */
export interface DomainRests {
  /** Whether there is any for the company: most of the time there is none, and nobody's address is looked up. */
  any(companyId: number, now: Date): boolean;
  /** When the message may be tried; null: now. */
  until(message: Pick<ClaimedMessage, 'companyId' | 'channel' | 'wantedAt'>, to: string, now: Date): Date | null;
  note(message: Pick<ClaimedMessage, 'companyId' | 'channel'>, to: string, result: DeliveryResult, now: Date): void;
}

interface Rest {
  failures: number;
  /** How often it has rested in a row. */
  times: number;
  until: number;
}

/** Deferrals in a row before a domain rests. Greylisting defers each sender and recipient once: some must be tried each time. */
const TOLERATED = 5;
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 15 * 60_000;
/** From then on a message is tried whatever its domain did to others, and so comes to an end by its own attempts. */
const LONGEST_WAIT_MS = 3 * 24 * 3_600_000;
const MOST_DOMAINS = 10_000;

export function createDomainRests(): DomainRests {
  /** By company and domain; those that deferred longest ago are forgotten first. */
  const rests = new Map<string, Rest>();
  /** When the last rest of each company ends. */
  const latest = new Map<number, number>();

  return {
    any: (companyId, now) => (latest.get(companyId) ?? 0) > now.getTime(),
    until({ companyId, channel, wantedAt }, to, now) {
      if (channel !== 'email' || now.getTime() - wantedAt.getTime() > LONGEST_WAIT_MS) return null;
      const until = rests.get(keyOf(companyId, to))?.until ?? 0;
      return isAhead(until, now) ? new Date(until) : null;
    },
    note({ companyId, channel }, to, result, now) {
      if (channel !== 'email') return;
      const key = keyOf(companyId, to);
      if (result.kind !== 'failed' || result.fault !== 'domain') {
        // A failure of the mail server itself is not evidence about the domain.
        if (result.kind !== 'failed' || result.fault !== 'service') rests.delete(key);
        return;
      }
      const rest = rests.get(key) ?? { failures: 0, times: 0, until: 0 };
      // What was on its way when the rest began says nothing new.
      if (isAhead(rest.until, now)) return;
      rest.failures += 1;
      if (rest.failures >= TOLERATED) {
        rest.until = now.getTime() + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** rest.times);
        rest.times += 1;
        rest.failures = 0;
        latest.set(companyId, Math.max(latest.get(companyId) ?? 0, rest.until));
      }
      rests.delete(key);
      rests.set(key, rest);
      if (rests.size > MOST_DOMAINS) rests.delete(rests.keys().next().value!);
    },
  };
}

/** Whether a rest goes on; one whose end lies further ahead than any rest lasts was begun by a clock that was ahead. */
function isAhead(until: number, now: Date): boolean {
  const left = until - now.getTime();
  return left > 0 && left <= LONGEST_REST_MS;
}

export const NO_RESTS: Pick<DomainRests, 'until'> = { until: () => null };

function keyOf(companyId: number, address: string): string {
  return `${companyId} ${domainOf(address)}`;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
