import type { KeyObject } from 'node:crypto';
import type { CompanyCache } from '../../access/company-cache.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import { createBatcher } from '../../db/batching/batcher.ts';
import type { Db } from '../../db/pool.ts';
import { counter, histogram } from '../../lib/measures.ts';
import { retry } from '../../lib/retry.ts';
import { resolveUnknown } from '../feedback/activity-queries.ts';
import {
  type Delivered,
  type DeliveryConsequences,
  drawConsequences,
  forgetRefusals,
  hasConsequences,
  settledBy,
} from '../ledger/deliveries.ts';
import type { HandOverMemory } from '../ledger/failover.ts';
import type { Channel } from '../ledger/message.ts';
import { handOverMessages, settleMessages } from '../ledger/settle-queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Breaker, DomainBackoffs } from './backoffs.ts';
import type { Gate, ReadyMessage } from './gate.ts';
import { MessageSpans } from './message-spans.ts';
import { createSendRate, leaseSendingTime } from './send-rate.ts';
import type { Transport } from './transports/port.ts';

/**
 * The last stage of sending. A relay brings batches of messages to one transport. Before a transport sees a message, its claim becomes
 * `handing_over` in a transaction that also asks the gate and records the results of the batch before.
 */

export interface HandOverDeps {
  db: Db;
  gate: Gate;
  tokenKey: KeyObject;
  consequences: DeliveryConsequences;
}

/** Results of deliveries, and messages to hand over next. */
export interface SettleAndHandOver {
  delivered: Delivered[];
  ready: ReadyMessage[];
}

/**
 * Records results and changes other messages from `claimed` to `handing_over`, in one transaction that commits before a transport sees
 * them. Returns the ids to deliver: the others were skipped or postponed, or their claim was lost. A message whose claim expired stays
 * `unknown`: its result is not recorded, and a person decides.
 */
export async function settleAndHandOver(
  deps: HandOverDeps,
  company: SendingCompany,
  { delivered, ready }: SettleAndHandOver,
  now: Date,
): Promise<Set<number>> {
  const { companyId } = company;
  const { db, gate } = deps;
  return db.tenantTx(companyId, async (tx) => {
    const { going, settled } =
      ready.length === 0 ? { going: [], settled: [] } : await gate.atHandOver(tx, company, ready, now);
    settled.push(...delivered.map(({ message, result }) => settledBy(message, result, now)));
    const settling = settled.length === 0 ? new Set<number>() : settleMessages(tx, companyId, settled, now);
    const handingOver = going.length === 0 ? new Set<number>() : handOverMessages(tx, companyId, going, now);
    const forgetting = forgetRefusals(tx, companyId, delivered);
    const unknownIds = settled.filter(({ status }) => status === 'unknown').map(({ id }) => id);
    const resolving = unknownIds.length === 0 ? null : resolveUnknown(tx, companyId, unknownIds, now);
    const written = [settling, handingOver, forgetting, resolving].map((one) => Promise.resolve<unknown>(one));
    // If the connection is lost, all reject and the first one is reported; the others must not become unhandled rejections.
    for (const one of written) one.catch(() => {});
    const consequential = delivered.filter(hasConsequences);
    if (consequential.length > 0) {
      const recorded = await settling;
      const settledByUs = consequential.filter(({ message }) => recorded.has(message.id));
      await drawConsequences(tx, companyId, deps, settledByUs, now);
    }
    await tx.commitAfter(written);
    return handingOver;
  });
}

/**
 * Messages per batch. A connection that takes batches delivers half of what it may take while the results of the other half are recorded
 * and the next messages are handed over. So a crash leaves at most `batch` messages per connection unknown.
 */
export function batchSizeOf({ batch }: Transport): number {
  return batch === 1 ? 1 : batch >> 1;
}

/** Batches campaign messages by channel, as many as the transport takes at once; other messages are delivered one by one. */
export function deliveriesOf(ready: ReadyMessage[], transportOf: (channel: Channel) => Transport): ReadyMessage[][] {
  const batches: ReadyMessage[][] = [];
  const open: Partial<Record<Channel, ReadyMessage[]>> = {};
  for (const one of ready) {
    const { channel, origin } = one.message;
    const batch = origin.kind === 'campaign' ? open[channel] : undefined;
    if (batch !== undefined && batch.length < batchSizeOf(transportOf(channel))) {
      batch.push(one);
      continue;
    }
    const next = [one];
    batches.push(next);
    if (origin.kind === 'campaign') open[channel] = next;
  }
  return batches;
}

export interface RelayOptions {
  /** Maximum number of batches handed over and not yet recorded. */
  concurrency: number;
  /** Records and hands over in one transaction. Returns the ready messages to deliver. */
  settleAndHandOver(request: SettleAndHandOver): Promise<ReadyMessage[]>;
  deliver(going: ReadyMessage[]): Promise<Delivered[]>;
  /** Resolves when so many messages may be sent; null without a rate limit. */
  sendRate: ((messages: number) => Promise<void>) | null;
  /** Whether a batch may be handed over now. */
  mayBegin(): boolean;
  /** Aborts retries of recording results. */
  giveUp: AbortSignal;
}

/** Delivers a batch of messages of one company. Resolves when the results are recorded; `refused`: it was not handed over. */
export type Relay = (ready: ReadyMessage[]) => Promise<'settled' | 'refused'>;

interface Waiting {
  ready: ReadyMessage[];
  resolve(outcome: 'settled' | 'refused'): void;
  reject(error: unknown): void;
}

/** A delivered batch whose results are not recorded yet. */
interface Unrecorded {
  batch: Waiting;
  delivered: Delivered[];
}

/** Thrown if the batch never reached a transport, whatever the ledger says. */
export class NotBegun extends Error {
  constructor(cause: unknown) {
    super('Messages could not be handed over', { cause });
  }
}

/**
 * Delivers at most `concurrency` batches at once. The results of a batch are recorded in the transaction that hands over the next one, so
 * that each batch costs one transaction.
 */
export function createRelay(options: RelayOptions): Relay {
  const { concurrency, deliver, sendRate, mayBegin, giveUp } = options;
  const waiting: Waiting[] = [];
  let running = 0;

  /** Delivers batches in sequence until none waits and all are recorded. */
  async function deliverInSequence(first: Waiting): Promise<void> {
    let before: Unrecorded | null = null;
    for (let next: Waiting | undefined = first; next !== undefined || before !== null; next = waiting.shift()) {
      const follows = next !== undefined && sendRate === null && mayBegin();
      if (before !== null && !(follows && companyOf(before.batch) === companyOf(next!))) {
        await record(before);
        before = null;
      }
      if (next !== undefined) before = await begin(next, before);
    }
    running -= 1;
  }

  async function record({ batch, delivered }: Unrecorded): Promise<void> {
    try {
      await retry(() => options.settleAndHandOver({ delivered, ready: [] }), giveUp);
      batch.resolve('settled');
    } catch (error) {
      batch.reject(error);
    }
  }

  /** Waits for the batch's turn, and hands it over. Returns the batch to record next. */
  async function begin(batch: Waiting, before: Unrecorded | null): Promise<Unrecorded | null> {
    if (before === null && !mayBegin()) {
      batch.resolve('refused');
      return null;
    }
    try {
      await sendRate?.(batch.ready.length);
    } catch (error) {
      batch.reject(new NotBegun(error));
      return null;
    }
    // The transport may have been given up while the batch waited for its turn.
    if (sendRate !== null && !mayBegin()) {
      batch.resolve('refused');
      return null;
    }
    return handOver(batch, before);
  }

  /** Hands over a batch and records the previous one. Returns the batch to record next. */
  async function handOver(batch: Waiting, before: Unrecorded | null): Promise<Unrecorded | null> {
    let going: ReadyMessage[];
    try {
      going = await options.settleAndHandOver({ delivered: before?.delivered ?? [], ready: batch.ready });
    } catch (error) {
      batch.reject(new NotBegun(error));
      if (before !== null) await record(before);
      return null;
    }
    before?.batch.resolve('settled');
    if (going.length === 0) {
      batch.resolve('settled');
      return null;
    }
    try {
      return { batch, delivered: await deliver(going) };
    } catch (error) {
      batch.reject(error);
      return null;
    }
  }

  return (ready) =>
    new Promise((resolve, reject) => {
      const batch = { ready, resolve, reject };
      if (running >= concurrency) {
        waiting.push(batch);
        return;
      }
      running += 1;
      void deliverInSequence(batch);
    });
}

function companyOf({ ready }: Waiting): number {
  return ready[0]!.message.companyId;
}

const handOverDuration = histogram(
  'tradeloom_hand_over_duration_seconds',
  'How long a transport took for the messages that it was given together',
  { channel: ['email', 'sms'] },
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
);
const handOvers = counter(
  'tradeloom_hand_overs_total',
  'Messages that a transport was given, by what it made of them',
  {
    channel: ['email', 'sms'],
    outcome: ['sent', 'failed', 'unknown'],
  },
);

export interface RelayDeps extends HandOverDeps {
  clock: Clock;
  companies: CompanyCache<SendingCompany>;
  backoffs: DomainBackoffs;
  handOvers: HandOverMemory;
  /** Maximum concurrent transactions with the ledger. */
  maxInFlight: number;
  /** Maximum number of batches that share a transaction. */
  mostTogether: number;
  isStopping(): boolean;
  /** Aborts deliveries in flight. */
  giveUp: AbortSignal;
}

/** A transport with its breaker. */
export interface RelayOf {
  channel: Channel;
  transport: Transport;
  health: Breaker;
  /** Whether it accepts no more batches: waiting ones are then released. */
  isGivenUp?(): boolean;
}

/** Makes relays, each between the ledger and one transport. They share transactions with the ledger. */
export function createRelays(deps: RelayDeps): (of: RelayOf) => Relay {
  const { db, clock, companies, backoffs, handOvers: memory, giveUp } = deps;

  /** Batches of one company that are recorded and handed over at the same time share a transaction. */
  const transactions = createBatcher<SettleAndHandOver, ReadyMessage[]>({
    name: 'hand-overs',
    maxWaitMs: Number.POSITIVE_INFINITY,
    key: ({ delivered, ready }) => (ready[0] ?? delivered[0]!).message.companyId,
    run: async (companyId, requests) => {
      const all = {
        delivered: requests.flatMap((one) => one.delivered),
        ready: requests.flatMap((one) => one.ready),
      };
      const company = await companies.get(companyId);
      const now = clock.now();
      const going = await settleAndHandOver(deps, company, all, now);
      for (const { message, result } of all.delivered) {
        memory.settled(message, settledBy(message, result, now).status !== 'queued');
      }
      memory.handedOver(all.ready.filter(({ message }) => going.has(message.id)).map(({ message }) => message));
      return requests.map(({ ready }) => ({ ok: true, value: ready.filter(({ message }) => going.has(message.id)) }));
    },
    maxSize: deps.mostTogether,
    maxInFlight: deps.maxInFlight,
    // The others collect meanwhile: larger transactions need less processor time per message.
    maxInFlightPerKey: 1,
  });

  async function deliver({ channel, transport, health }: RelayOf, going: ReadyMessage[]): Promise<Delivered[]> {
    const messages = going.map(({ message }) => message);
    const spans = MessageSpans.start('send message', 'client', messages);
    const began = monotonicMs();
    const outgoing = going.map((one) => one.outgoing);
    const results = await transport.deliverAll(outgoing, giveUp).catch((error: unknown) => {
      spans?.endRest();
      throw error;
    });
    messages.forEach((message, i) => {
      spans?.end(message, results[i]!.kind);
    });
    handOverDuration.observe({ channel }, (monotonicMs() - began) / 1_000);
    for (const { kind } of results) handOvers.inc({ channel, outcome: kind });
    const delivered = going.map(({ message, outgoing: { to } }, i) => ({ message, to, result: results[i]! }));
    health.note(delivered);
    const now = clock.now();
    for (const { message, to, result } of delivered) backoffs.note(message, to, result, now);
    return delivered;
  }

  return (of) => {
    const { provider, rate, batch, concurrency } = of.transport;
    const lease = (n: number) => leaseSendingTime(db, provider, n, rate ?? Number.POSITIVE_INFINITY);
    return createRelay({
      concurrency: batch === 1 ? concurrency : 2 * concurrency,
      settleAndHandOver: (one) => transactions.submit(one),
      sendRate: rate === null ? null : createSendRate({ rate, lease }),
      mayBegin: () => !deps.isStopping() && of.health.isOpen() && !of.isGivenUp?.(),
      giveUp,
      deliver: (going) => deliver(of, going),
    });
  };
}
