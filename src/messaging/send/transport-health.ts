import { monotonicMs } from '../../clock.ts';
import { domainOf } from '../gate/domain-backoffs.ts';
import type { DeliveryResult } from './transports/port.ts';

/** A circuit breaker of one transport: failures of the service close it, longer each time. Open means that messages may pass. */
export interface Breaker {
  /** Whether messages may be handed over. */
  isOpen(): boolean;
  /** Records the results of one delivery, which counts as failed if all of its messages failed. */
  note(delivered: readonly { to: string; result: DeliveryResult }[]): void;
}

/** Consecutive failures before a transport is closed. */
const TOLERATED = 5;
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
      if (failures < TOLERATED) return;
      closedUntil = monotonicMs() + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - TOLERATED));
      const last = delivered.findLast(({ result }) => result.kind === 'failed')?.result;
      tell(last?.kind === 'failed' ? last.reply : 'The service takes nothing');
    },
  };
}
