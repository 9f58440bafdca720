import type { ReadyMessage } from '../ledger/hand-over.ts';
import type { Channel } from '../ledger/message.ts';
import type { Transport } from './transports/port.ts';

/**
 * Messages per bundle. A connection that takes batches delivers half a batch while the results of the other half are recorded
 * and the next messages are handed over. So a crash leaves at most one batch per connection unknown.
 */
export function bundleSizeOf({ batch }: Transport): number {
  return batch === 1 ? 1 : batch >> 1;
}

/** Bundles handed over concurrently. */
export function placesOf({ batch, concurrency }: Transport): number {
  return batch === 1 ? concurrency : 2 * concurrency;
}

/** Bundles campaign messages by channel, as many as the transport takes at once; other messages are delivered one by one. */
export function bundlesOf(ready: ReadyMessage[], transportOf: (channel: Channel) => Transport): ReadyMessage[][] {
  const bundles: ReadyMessage[][] = [];
  const open: Partial<Record<Channel, ReadyMessage[]>> = {};
  for (const one of ready) {
    const { channel, origin } = one.message;
    const bundle = origin.kind === 'campaign' ? open[channel] : undefined;
    if (bundle !== undefined && bundle.length < bundleSizeOf(transportOf(channel))) {
      bundle.push(one);
      continue;
    }
    const next = [one];
    bundles.push(next);
    if (origin.kind === 'campaign') open[channel] = next;
  }
  return bundles;
}
