import { monotonicMs } from '../clock.ts';
import type { Channel } from './message.ts';
import type { DeliveryResult } from './transports/port.ts';

/** Whether a transport is worth asking: after failures of the service itself it rests, longer each time. */
export interface TransportHealth {
  isOpen(channel: Channel): boolean;
  /** The results of one delivery: it has failed when each of its messages has. */
  note(channel: Channel, results: readonly DeliveryResult[]): void;
}

/** Failures of the service in a row before it rests. */
const TOLERATED = 5;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

export function createHealth(): TransportHealth {
  const state = { email: { failures: 0, closedUntil: 0 }, sms: { failures: 0, closedUntil: 0 } };
  return {
    isOpen: (channel) => monotonicMs() >= state[channel].closedUntil,
    note(channel, results) {
      const one = state[channel];
      if (results.some((result) => result.kind !== 'failed' || result.fault !== 'service')) {
        one.failures = 0;
        return;
      }
      one.failures += 1;
      if (one.failures < TOLERATED) return;
      const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (one.failures - TOLERATED));
      one.closedUntil = monotonicMs() + rest;
    },
  };
}
