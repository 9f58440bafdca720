import type { KeyObject } from 'node:crypto';
import type { CompanyCache } from '../../access/company-cache.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import { createBatcher } from '../../db/batching/batcher.ts';
import type { Db } from '../../db/pool.ts';
import { counter, histogram } from '../../lib/measures.ts';
import type { CampaignBackoffs } from '../gate/campaign-backoffs.ts';
import type { DomainBackoffs } from '../gate/domain-backoffs.ts';
import type { ReadyMessage } from '../ledger/hand-over.ts';
import type { HandOverMemory } from '../ledger/hand-over-memory.ts';
import type { Channel } from '../ledger/message.ts';
import { settledBy } from '../ledger/outcomes.ts';
import { type SettleAndHandOver, settleAndHandOver } from '../ledger/settle-and-hand-over.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { placesOf } from './bundles.ts';
import { MessageSpans } from './message-spans.ts';
import { createRelay, type Relay } from './relay.ts';
import { createSendRate } from './send-rate.ts';
import { leaseSendingTime } from './send-rate-queries.ts';
import type { Breaker } from './transport-health.ts';
import type { Transport } from './transports/port.ts';

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

export interface RelayDeps {
  db: Db;
  clock: Clock;
  companies: CompanyCache<SendingCompany>;
  tokenKey: KeyObject;
  backoffs: DomainBackoffs;
  campaignBackoffs: CampaignBackoffs;
  handOvers: HandOverMemory;
  /** Maximum concurrent transactions with the ledger. */
  maxInFlight: number;
  /** Maximum number of bundles that share a transaction. */
  largestBatch: number;
  isStopping(): boolean;
  /** Aborts deliveries in flight. */
  giveUp: AbortSignal;
}

/** A transport with its breaker. */
export interface RelayOf {
  channel: Channel;
  transport: Transport;
  health: Breaker;
  /** Whether it accepts no more bundles: waiting ones are then released. */
  isGivenUp?(): boolean;
}

/** Makes relays, each between the ledger and one transport. They share transactions with the ledger. */
export function createRelays(deps: RelayDeps): (of: RelayOf) => Relay {
  const { db, clock, companies, tokenKey, backoffs, campaignBackoffs, handOvers: memory, giveUp } = deps;

  /** Bundles of one company that are recorded and handed over at the same time share a transaction. */
  const bundles = createBatcher<SettleAndHandOver, ReadyMessage[]>({
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
      const going = await settleAndHandOver(db, company, tokenKey, all, now, backoffs, (of, campaignId, until) =>
        campaignBackoffs.note(of, campaignId, until, now),
      );
      for (const { message, result } of all.delivered) {
        memory.settled(message, settledBy(message, result, now).status !== 'queued');
      }
      memory.handedOver(all.ready.filter(({ message }) => going.has(message.id)).map(({ message }) => message));
      return requests.map(({ ready }) => ({ ok: true, value: ready.filter(({ message }) => going.has(message.id)) }));
    },
    maxSize: deps.largestBatch,
    maxInFlight: deps.maxInFlight,
    // The others collect meanwhile: larger transactions need less processor time per message.
    maxInFlightPerKey: 1,
  });

  return ({ channel, transport, health, isGivenUp = () => false }) => {
    const { provider, rate } = transport;
    const lease = (n: number) => leaseSendingTime(db, provider, n, rate ?? Number.POSITIVE_INFINITY);
    return createRelay({
      places: placesOf(transport),
      settleAndHandOver: (one) => bundles.submit(one),
      sendRate: rate === null ? null : createSendRate({ rate, lease }),
      mayBegin: () => !deps.isStopping() && health.isOpen() && !isGivenUp(),
      giveUp,
      async deliver(going) {
        const outgoing = going.map((one) => one.outgoing);
        const began = monotonicMs();
        const messages = going.map(({ message }) => message);
        const spans = MessageSpans.start('send message', 'client', messages);
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
      },
    });
  };
}
