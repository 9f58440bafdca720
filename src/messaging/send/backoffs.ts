import { monotonicMs } from '../../clock.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { DeliveryResult } from './transports/port.ts';

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

function keyOf(companyId: number, address: string): string {
  return `${companyId} ${domainOf(address)}`;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/** Campaigns that are not claimed from for now, because a limit holds up all their messages. In each process's memory. */
export interface CampaignBackoffs {
  note(companyId: number, campaignId: number, until: Date, now: Date): void;
  isBackedOff(companyId: number, campaignId: number | null, now: Date): boolean;
}

/** Then one batch is tried again, so that a raised limit is noticed. */
const LONGEST_CAMPAIGN_MS = 5 * 60_000;

export function createCampaignBackoffs(): CampaignBackoffs {
  const backoffs = new Map<string, number>();
  return {
    note(companyId, campaignId, until, now) {
      const ends = Math.min(until.getTime(), now.getTime() + LONGEST_CAMPAIGN_MS);
      backoffs.set(`${companyId} ${campaignId}`, ends);
    },
    isBackedOff(companyId, campaignId, now) {
      if (backoffs.size === 0 || campaignId === null) return false;
      const key = `${companyId} ${campaignId}`;
      const left = (backoffs.get(key) ?? 0) - now.getTime();
      // A time further ahead than this was recorded while the clock was ahead.
      if (left > 0 && left <= LONGEST_CAMPAIGN_MS) return true;
      backoffs.delete(key);
      return false;
    },
  };
}

/** A circuit breaker of one transport: failures of the service close it, longer each time. Open means that messages may pass. */
export interface Breaker {
  /** Whether messages may be handed over. */
  isOpen(): boolean;
  /** Records the results of one delivery, which counts as failed if all of its messages failed. */
  note(delivered: readonly { to: string; result: DeliveryResult }[]): void;
}

/** Consecutive failures before a transport is closed. */
const TOLERATED_FAILURES = 5;
/** This many deferring domains in a row, with no delivery in between, mean that the server itself is being deferred. */
const MANY_DOMAINS = 20;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

/** Calls `onChange` with the service's reply when the breaker closes, and with null at the first delivery ever and after each closing. */
export function createBreaker(onChange: (failure: string | null) => void = () => {}): Breaker {
  const deferring = new Set<string>();
  let failures = 0;
  let closedUntil = 0;
  let known: string | null | undefined;

  function tell(failure: string | null): void {
    if (known !== undefined && (known === null) === (failure === null)) return;
    known = failure;
    onChange(failure);
  }

  return {
    isOpen: () => monotonicMs() >= closedUntil,
    note(delivered) {
      const faults = delivered.map(({ result }) => (result.kind === 'failed' ? result.fault : null));
      if (faults.some((fault) => fault !== 'service' && fault !== 'domain')) {
        failures = 0;
        deferring.clear();
        if (delivered.some(({ result }) => result.kind === 'sent')) tell(null);
        return;
      }
      for (const [i, { to }] of delivered.entries()) {
        if (faults[i] === 'domain' && deferring.size < MANY_DOMAINS) deferring.add(domainOf(to));
      }
      if (!faults.includes('service') && deferring.size < MANY_DOMAINS) return;
      failures += 1;
      if (failures < TOLERATED_FAILURES) return;
      closedUntil = monotonicMs() + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - TOLERATED_FAILURES));
      const last = delivered.findLast(({ result }) => result.kind === 'failed')?.result;
      tell(last?.kind === 'failed' ? last.reply : 'The service takes nothing');
    },
  };
}
