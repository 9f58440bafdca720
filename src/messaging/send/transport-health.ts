import { monotonicMs } from '../../clock.ts';
import { domainOf } from '../gate/domain-rests.ts';
import type { Channel } from '../ledger/message.ts';
import type { DeliveryResult } from './transports/port.ts';

/** A circuit breaker per transport: after failures of the service it is closed, longer each time. */
export interface TransportHealth {
  isOpen(channel: Channel): boolean;
  /** Records the results of one delivery, which counts as failed if all of its messages failed. */
  note(channel: Channel, delivered: readonly { to: string; result: DeliveryResult }[]): void;
}

/** Consecutive failures before a transport is closed. */
const TOLERATED = 5;
/** So many deferring domains in a row, without a delivery between them, mean that the server itself is deferred. */
const MANY_DOMAINS = 20;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

export function createHealth(): TransportHealth {
  const well = () => ({ failures: 0, closedUntil: 0, deferring: new Set<string>() });
  const state = { email: well(), sms: well() };
  return {
    isOpen: (channel) => monotonicMs() >= state[channel].closedUntil,
    note(channel, delivered) {
      const one = state[channel];
      const faults = delivered.map(({ result }) => (result.kind === 'failed' ? result.fault : null));
      if (faults.some((fault) => fault !== 'service' && fault !== 'domain')) {
        one.failures = 0;
        one.deferring.clear();
        return;
      }
      for (const [i, { to }] of delivered.entries()) {
        if (faults[i] === 'domain' && one.deferring.size < MANY_DOMAINS) one.deferring.add(domainOf(to));
      }
      if (!faults.includes('service') && one.deferring.size < MANY_DOMAINS) return;
      one.failures += 1;
      if (one.failures < TOLERATED) return;
      const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (one.failures - TOLERATED));
      one.closedUntil = monotonicMs() + rest;
    },
  };
}
