import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-cache.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import type { Composer } from '../compose/composer.ts';
import { createCampaignBackoffs } from '../gate/campaign-backoffs.ts';
import { createDomainBackoffs } from '../gate/domain-backoffs.ts';
import { releaseHolds } from '../gate/held.ts';
import { type MissingSetting, missingFor } from '../gate/missing-settings.ts';
import { createClaims } from '../ledger/claims.ts';
import { type DueChannels, type FoundWork, findDueWork, nextDueAt } from '../ledger/due-queries.ts';
import { takeBackExpired } from '../ledger/expired-leases.ts';
import type { HandOverMemory } from '../ledger/hand-over-memory.ts';
import type { Channel, ClaimedMessage } from '../ledger/message.ts';
import type { SealedAccount } from '../sending-accounts/accounts.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { createAccountRoutes } from './account-routes.ts';
import { createAccountSets } from './account-sets.ts';
import { bundleSizeOf } from './bundles.ts';
import { rotate, shareOut } from './due-shares.ts';
import { createRelays } from './relays.ts';
import { createRoutes, type Route } from './routes.ts';
import { createSetSender } from './set-sender.ts';
import { createBreaker } from './transport-health.ts';
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
  /** The base URL of links in messages, without a trailing slash. */
  origin: () => string;
  tokenKey: KeyObject;
  handOvers: HandOverMemory;
}

const CHANNELS = ['email', 'sms'] as const;
const IDLE_MS = 250;
/** Sets in progress at the same time: one being rendered, one handed over, one waiting for the database. */
const STRANDS = 3;
/** Sets per strand and turn, so that the worker can be stopped between turns. */
const SETS_PER_TURN = 20;
const SMALLEST_SET = 20;
const LARGEST_SET = 500;
/** Set size for a company with an account of its own. */
const OWN_SET = 100;
/** A set that took longer halves the set size, so that urgent messages wait for fewer others. */
const SET_MS = 2_000;

const RECOVER_EVERY_MS = 2_000;
/** Messages are released after a restart with more settings, but a process with fewer settings may hold some of them again. */
const RELEASE_EVERY_MS = 10_000;
/** Under load, due work is queried at most this often. */
const LOOK_EVERY_MS = 200;
/** A turn waits up to this long for sets of accounts running concurrently; the next turn finds them in progress. */
const ACCOUNT_SETS_MS = 5_000;
/** Deliveries in flight are aborted this long after the stop. */
const STOP_MS = 8_000;
const STOP_POLL_MS = 20;

/**
 * Sends due messages of the ledger through the transports. Any number of senders may run on one database. Lower lanes go first; within a
 * lane, companies share evenly.
 */
export function createSenderWorker(deps: SenderDeps): Worker {
  const { db, clock, log, companies, transports, mailboxes, missing, tokenKey, handOvers } = deps;
  const backoffs = createDomainBackoffs();
  const campaignBackoffs = createCampaignBackoffs();
  const claims = createClaims(db);
  const givingUp = new AbortController();
  let setSize = 100;
  let recoverAt = 0;
  let releaseAt = 0;
  let rotation = 0;
  let seen: { key: string; work: FoundWork[]; until: number } = { key: '', work: [], until: 0 };

  let stopping = false;
  const relayOf = createRelays({
    db,
    clock,
    companies,
    tokenKey,
    backoffs,
    campaignBackoffs,
    handOvers,
    maxInFlight: STRANDS,
    largestBatch: Math.ceil(LARGEST_SET / Math.max(bundleSizeOf(transports.email), bundleSizeOf(transports.sms))),
    isStopping: () => stopping,
    giveUp: givingUp.signal,
  });
  const routes = createRoutes({
    shared: { email: routeOf(transports.email), sms: routeOf(transports.sms) },
    demo: { email: routeOf(mailboxes.email), sms: routeOf(mailboxes.sms) },
    open: createAccountRoutes({ ...deps, relayOf }),
  });
  const sendSet = createSetSender({ ...deps, backoffs, routes, giveUp: givingUp.signal });
  const accountSets = createAccountSets<ClaimedMessage[]>({
    take: async (work) => {
      const now = clock.now();
      const shares = shareOut(work, OWN_SET);
      const taken = shares.map(({ work: one, limit }) => claims.take(one, { now, limit, channels: channelsOf(one) }));
      return (await Promise.all(taken)).flat();
    },
    send: (companyId, claimed) => sendSet(companyId, claimed),
    onError: (error, companyId) => {
      log.error({ err: error, company_id: companyId }, 'messages of a company could not be sent');
    },
  });

  function routeOf(transport: Transport): Route {
    const health = createBreaker();
    return { transport, health, relay: relayOf({ channel: transport.channel, transport, health }) };
  }

  /** Due work, cached briefly: each query walks past the index entries of messages that were just sent. */
  async function dueWork(now: Date, channels: DueChannels): Promise<FoundWork[]> {
    const key = channels.all.join();
    if (seen.key !== key || seen.work.length === 0 || monotonicMs() >= seen.until) {
      const work = await findDueWork(db, now, channels);
      seen = { key, work, until: monotonicMs() + LOOK_EVERY_MS };
    }
    return seen.work;
  }

  /** Claims a set over all companies and sends it. Returns the number of claimed messages. */
  async function turn(): Promise<number> {
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
    const own = found.filter((one) => one.own.length > 0 && isOpen(one));
    if (own.length > 0) accountSets.begin(own);
    const shares = shareOut(
      found.filter((one) => one.own.length === 0),
      setSize,
    );
    const taken = await Promise.all(shares.map(({ work: one, limit }) => claims.take(one, { now, limit, channels })));
    const byCompany = Map.groupBy(taken.flat(), (message) => message.companyId);
    await eachCompany(byCompany);
    const claimed = taken.reduce((sum, some) => sum + some.length, 0);
    const took = monotonicMs() - began;
    if (took > SET_MS) setSize = Math.max(SMALLEST_SET, setSize >> 1);
    else if (claimed >= setSize) setSize = Math.min(LARGEST_SET, setSize * 2);
    return claimed;
  }

  /** Returns the channels in which messages of the work may be sent now. */
  function channelsOf({ company_id: companyId, own }: FoundWork): Channel[] {
    return CHANNELS.filter((channel) =>
      own.includes(channel) ? routes.isOwnOpen(companyId, channel) : routes.shared[channel].health.isOpen(),
    );
  }

  function isOpen(work: FoundWork): boolean {
    const open = channelsOf(work);
    if (work.channel === null) return open.length > 0;
    return open.includes(work.channel) && sendsCampaigns(work.channel, work.own.includes(work.channel));
  }

  /** A failure of one company does not block the others: its claims expire, and its messages are sent again. */
  async function eachCompany(byCompany: Map<number, ClaimedMessage[]>): Promise<void> {
    const errors: unknown[] = [];
    await Promise.all(
      [...byCompany].map(([companyId, claimed]) =>
        sendSet(companyId, claimed).catch((error: unknown) => {
          log.error({ err: error, company_id: companyId }, 'messages of a company could not be sent');
          errors.push(error);
        }),
      ),
    );
    // All companies failed, so the cause is a common one, and the worker backs off.
    if (errors.length > 0 && errors.length === byCompany.size) throw errors[0];
  }

  async function strand(): Promise<number> {
    let done = 0;
    for (let i = 0; i < SETS_PER_TURN && !stopping; i++) {
      const claimed = await turn();
      if (claimed === 0) break;
      done += claimed;
    }
    return done;
  }

  async function eachStrand(): Promise<number> {
    const strands = await Promise.allSettled(Array.from({ length: STRANDS }, strand));
    return strands.reduce((sum, one) => {
      if (one.status === 'rejected') throw one.reason;
      return sum + one.value;
    }, 0);
  }

  /** Without a channel's settings its campaigns are paused as a whole, so their messages are not claimed. */
  function sendsCampaigns(channel: Channel, own: boolean): boolean {
    const lacking = own ? missing.filter((one) => one.channel === null) : missing;
    return missingFor(lacking, channel, channel === 'email') === null;
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
      // A set may wait minutes for the send rate, but expired leases must be ended meanwhile.
      const recovering = setInterval(() => {
        recover().catch((error: unknown) => log.warn({ err: error }, 'expired claims could not be ended'));
      }, RECOVER_EVERY_MS);
      try {
        const recovered = (await release()) + (await recover());
        seen.until = 0;
        let done = recovered + (await eachStrand());
        // Sets of companies with their own accounts may take long: other companies' messages continue meanwhile.
        const until = monotonicMs() + ACCOUNT_SETS_MS;
        while (accountSets.running() > 0 && monotonicMs() < until && !stopping) {
          await Promise.race([accountSets.next(), pause(IDLE_MS)]);
          done += await eachStrand();
        }
        return done + accountSets.sent();
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
      while (accountSets.running() > 0) await pause(STOP_POLL_MS);
      await routes.close();
    },
  };
}
