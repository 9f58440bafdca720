import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-cache.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import type { Composer } from '../compose/composer.ts';
import type { DeliveryConsequences } from '../ledger/deliveries.ts';
import type { HandOverMemory } from '../ledger/failover.ts';
import type { Channel } from '../ledger/message.ts';
import type { SealedAccount } from '../sending-accounts/accounts.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { createCampaignBackoffs, createDomainBackoffs } from './backoffs.ts';
import { createClaims, rotate, shareOut, takeBackExpired } from './claim.ts';
import { type DueChannels, type FoundWork, findDueWork, nextDueAt } from './claim-queries.ts';
import { batchSizeOf, createRelays } from './deliver.ts';
import { createGate } from './gate.ts';
import { releaseHolds } from './holds.ts';
import { type MissingSetting, missingFor } from './missing-settings.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { createRoutes } from './routes.ts';
import type { Transport } from './transports/port.ts';

/** See docs/design/sending.md. */
export interface SenderDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  composer: Composer;
  transports: Record<Channel, Transport>;
  /** For the demo shop. */
  mailboxes: Record<Channel, Transport>;
  /** Returns the transport of a company's own account. */
  transportOf(companyId: number, account: SealedAccount): Transport;
  missing: readonly MissingSetting[];
  /** Whether e-mails need a sender of the company's own. */
  needsSender: boolean;
  /** The base URL of links in messages, without a trailing slash. */
  origin: () => string;
  tokenKey: KeyObject;
  handOvers: HandOverMemory;
  consequences: DeliveryConsequences;
}

const CHANNELS = ['email', 'sms'] as const;
const IDLE_MS = 250;
/** Batches in progress at the same time: one being rendered, one handed over, one waiting for the database. */
const CONCURRENT = 3;
/** Batches one after the other in a turn of the worker, so that it can be stopped between turns. */
const BATCHES_PER_TURN = 20;
const SMALLEST_BATCH = 20;
const LARGEST_BATCH = 500;
/** Batch size for a company with an account of its own. */
const OWN_BATCH = 100;
/** A batch that took longer halves the batch size, so that urgent messages wait for fewer others. */
const BATCH_MS = 2_000;

const RECOVER_EVERY_MS = 2_000;
/** Messages are released after a restart with more settings, but a process with fewer settings may hold some of them again. */
const RELEASE_EVERY_MS = 10_000;
/** Under load, due work is queried at most this often. */
const LOOK_EVERY_MS = 200;
/** A turn waits up to this long for batches of accounts running concurrently; the next turn finds them in progress. */
const OWN_BATCHES_MS = 5_000;
/** Deliveries in flight are aborted this long after the stop. */
const STOP_MS = 8_000;
const STOP_POLL_MS = 20;

/**
 * Sends due messages of the ledger through the transports. Any number of senders may run on one database. Lower lanes go first; within a
 * lane, companies share evenly.
 */
export function createSenderWorker(deps: SenderDeps): Worker {
  const { db, clock, log, companies, transports, missing } = deps;
  const backoffs = createDomainBackoffs();
  const campaignBackoffs = createCampaignBackoffs();
  const claims = createClaims(db);
  const givingUp = new AbortController();
  const giveUp = givingUp.signal;
  let batchSize = 100;
  let recoverAt = 0;
  let releaseAt = 0;
  let rotation = 0;
  let seen: { key: string; work: FoundWork[]; until: number } = { key: '', work: [], until: 0 };
  let stopping = false;

  const gate = createGate({ ...deps, backoffs, campaignBackoffs });
  const largest = Math.max(batchSizeOf(transports.email), batchSizeOf(transports.sms));
  const relayOf = createRelays({
    ...deps,
    gate,
    backoffs,
    maxInFlight: CONCURRENT,
    mostTogether: Math.ceil(LARGEST_BATCH / largest),
    isStopping: () => stopping,
    giveUp,
  });
  const routes = createRoutes({ ...deps, relayOf });
  const claimAndSend = createPipeline({ ...deps, claims, gate, routes, giveUp });
  const own = createOwnBatches(claimAndSend, channelsOf, (error, companyId) => {
    log.error({ err: error, company_id: companyId }, 'a company with an account of its own could not be served');
  });

  /** Due work, cached briefly: each query walks past the index entries of messages that were just sent. */
  async function dueWork(now: Date, channels: DueChannels): Promise<FoundWork[]> {
    const key = channels.all.join();
    if (seen.key !== key || seen.work.length === 0 || monotonicMs() >= seen.until) {
      const work = await findDueWork(db, now, channels);
      seen = { key, work, until: monotonicMs() + LOOK_EVERY_MS };
    }
    return seen.work;
  }

  /** Sends a batch over all companies. Returns the number of claimed messages. */
  async function sendBatch(): Promise<number> {
    const began = monotonicMs();
    const channels = CHANNELS.filter((channel) => routes.shared[channel].health.isOpen());
    const now = clock.now();
    const due = await dueWork(now, {
      all: channels,
      campaigns: channels.filter((channel) => sendsCampaigns(channel, false)),
    });
    const found = rotate(
      due.filter((one) => !campaignBackoffs.isBackedOff(one.company_id, one.campaign_id, now)),
      rotation++,
    );
    own.begin(found.filter((one) => one.own.length > 0 && isOpen(one)));
    const shares = shareOut(
      found.filter((one) => one.own.length === 0),
      batchSize,
    );
    const claimed = await claimAndSend(shares.map(({ work, limit }) => ({ work, limit, channels })));
    const took = monotonicMs() - began;
    if (took > BATCH_MS) batchSize = Math.max(SMALLEST_BATCH, batchSize >> 1);
    else if (claimed >= batchSize) batchSize = Math.min(LARGEST_BATCH, batchSize * 2);
    return claimed;
  }

  /** Returns the channels in which messages of the work may be sent now. */
  function channelsOf({ company_id: companyId, own: ownChannels }: FoundWork): Channel[] {
    return CHANNELS.filter((channel) =>
      ownChannels.includes(channel) ? routes.isOwnOpen(companyId, channel) : routes.shared[channel].health.isOpen(),
    );
  }

  function isOpen(work: FoundWork): boolean {
    const open = channelsOf(work);
    if (work.channel === null) return open.length > 0;
    return open.includes(work.channel) && sendsCampaigns(work.channel, work.own.includes(work.channel));
  }

  /** Without a channel's settings its campaigns are paused as a whole, so their messages are not claimed. */
  function sendsCampaigns(channel: Channel, byOwn: boolean): boolean {
    const lacking = byOwn ? missing.filter((one) => one.channel === null) : missing;
    return missingFor(lacking, channel, channel === 'email') === null;
  }

  async function sendBatches(): Promise<number> {
    let done = 0;
    for (let i = 0; i < BATCHES_PER_TURN && !stopping; i++) {
      const claimed = await sendBatch();
      if (claimed === 0) break;
      done += claimed;
    }
    return done;
  }

  async function sendConcurrently(): Promise<number> {
    const all = await Promise.allSettled(Array.from({ length: CONCURRENT }, sendBatches));
    return all.reduce((sum, one) => {
      if (one.status === 'rejected') throw one.reason;
      return sum + one.value;
    }, 0);
  }

  async function release(): Promise<number> {
    if (monotonicMs() < releaseAt) return 0;
    releaseAt = monotonicMs() + RELEASE_EVERY_MS;
    const released = await releaseHolds(db, companies, missing, clock.now());
    if (released > 0) log.info({ messages: released }, 'messages that waited for settings are due');
    return released;
  }

  async function recover(): Promise<number> {
    if (monotonicMs() < recoverAt) return 0;
    recoverAt = monotonicMs() + RECOVER_EVERY_MS;
    claims.startOver();
    const ended = await takeBackExpired(db, clock.now());
    if (ended > 0) log.warn({ messages: ended }, 'expired leases of messages were ended');
    return ended;
  }

  function stopSending(): void {
    stopping = true;
    setTimeout(() => givingUp.abort(), STOP_MS).unref();
  }

  const worker = createWorker({
    name: 'sender',
    idleMs: IDLE_MS,
    log,
    // Messages that wait for an account or an expired lease are due already.
    mostIdleMs: 2_000,
    nextDue: (after) => nextDueAt(db, after),
    async run(signal) {
      stopping = signal.aborted;
      signal.addEventListener('abort', stopSending, { once: true });
      // A batch may wait minutes for the send rate, but expired leases must be ended meanwhile.
      const recovering = setInterval(() => {
        recover().catch((error: unknown) => log.warn({ err: error }, 'expired claims could not be ended'));
      }, RECOVER_EVERY_MS);
      try {
        const recovered = (await release()) + (await recover());
        seen.until = 0;
        let done = recovered + (await sendConcurrently());
        // Batches of companies with their own accounts may take long: other companies' messages continue meanwhile.
        const until = monotonicMs() + OWN_BATCHES_MS;
        while (own.running() > 0 && monotonicMs() < until && !stopping) {
          await Promise.race([own.next(), pause(IDLE_MS)]);
          done += await sendConcurrently();
        }
        return done + own.sent();
      } finally {
        clearInterval(recovering);
        signal.removeEventListener('abort', stopSending);
      }
    },
  });
  return {
    ...worker,
    async stop() {
      if (!stopping) stopSending();
      await worker.stop();
      while (own.running() > 0) await pause(STOP_POLL_MS);
      await routes.close();
    },
  };
}

/** Per company: while one batch is handed over, the next is composed. */
const PER_COMPANY = 2;
/** In total: each batch holds claims, which are renewed every ten seconds. */
const IN_ALL = 200;

/** Batches of companies with accounts of their own, which run concurrently and independently of each other. */
function createOwnBatches(
  claimAndSend: Pipeline,
  channelsOf: (work: FoundWork) => Channel[],
  onError: (error: unknown, companyId: number) => void,
) {
  const inProgress = new Map<number, number>();
  const waiting: (() => void)[] = [];
  let running = 0;
  let sent = 0;

  async function run(companyId: number, work: FoundWork[]): Promise<void> {
    inProgress.set(companyId, (inProgress.get(companyId) ?? 0) + 1);
    running += 1;
    let claimed = 0;
    try {
      const shares = shareOut(work, OWN_BATCH);
      claimed = await claimAndSend(
        shares.map(({ work: one, limit }) => ({ work: one, limit, channels: channelsOf(one) })),
      );
    } catch (error) {
      // A failure affects only this company: its claims expire, and its messages are sent again.
      onError(error, companyId);
    }
    const left = inProgress.get(companyId)! - 1;
    if (left === 0) inProgress.delete(companyId);
    else inProgress.set(companyId, left);
    running -= 1;
    sent += claimed;
    // A batch that found nothing is no reason to look again at once.
    if (claimed > 0) for (const resolve of waiting.splice(0)) resolve();
  }

  return {
    /** Starts batches for each company below its limit of batches in progress; returns at once. */
    begin(found: readonly FoundWork[]): void {
      for (const [companyId, work] of Map.groupBy(found, (one) => one.company_id)) {
        if (running >= IN_ALL) return;
        if ((inProgress.get(companyId) ?? 0) < PER_COMPANY) void run(companyId, work);
      }
    },
    /** Number of batches in progress. */
    running: (): number => running,
    /** Resolves when the next batch with messages has ended. */
    next: (): Promise<void> => new Promise((resolve) => waiting.push(resolve)),
    /** Returns how many messages were in the batches that ended since the last call. */
    sent(): number {
      const before = sent;
      sent = 0;
      return before;
    },
  };
}
