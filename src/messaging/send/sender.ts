import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-versions.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import { createBatcher } from '../../db/batching/batch.ts';
import type { Db } from '../../db/pool.ts';
import { retry } from '../../lib/retry.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import type { Composer } from '../compose/composer.ts';
import type { ComposedMessage } from '../compose/outcomes.ts';
import { createDomainRests } from '../gate/domain-rests.ts';
import { admitByDomain, admitInTime } from '../gate/early-gate.ts';
import { holdBefore, holdLinked, releaseHolds } from '../gate/held.ts';
import { type MissingSetting, missingFor } from '../gate/missing-settings.ts';
import { renewClaims } from '../ledger/claim-queries.ts';
import { createClaims } from '../ledger/claims.ts';
import { type DueChannels, type DueWork, findDueWork, nextDueAt } from '../ledger/due-queries.ts';
import { takeBackExpired } from '../ledger/expired-leases.ts';
import type { ReadyMessage } from '../ledger/hand-over.ts';
import { type Channel, type ClaimedMessage, LANES } from '../ledger/message.ts';
import { type Exchange, exchange } from '../ledger/settle-and-hand-over.ts';
import { type Settled, settleMessages } from '../ledger/settle-queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { createRelay, NotBegun } from './relay.ts';
import { createPace } from './send-rate.ts';
import { leaseSendingTime } from './send-rate-queries.ts';
import { createHealth } from './transport-health.ts';
import type { Transport } from './transports/port.ts';

export interface SenderDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  composer: Composer;
  transports: Record<Channel, Transport>;
  missing: readonly MissingSetting[];
  /** The address that links of messages begin with, without a slash at the end. */
  origin: () => string;
  tokenKey: KeyObject;
}

const IDLE_MS = 250;
/** Sets that are worked on at once: one is being rendered, one is handed over, one waits for the database. */
const STRANDS = 3;
/** A turn of the worker ends after so many sets per strand, so that the worker can be stopped between them. */
const SETS_PER_TURN = 20;
const SMALLEST_SET = 20;
const LARGEST_SET = 500;
/** A set that took longer makes the next ones smaller, so that what is urgent is not behind much that is not. */
const SET_MS = 2_000;
/** What lanes get at least, however much is due in those before them. */
const LEAST_FOR_LOWER_LANES = 20;
const RECOVER_EVERY_MS = 2_000;
/** Only after a restart with other settings is there anything; a process with fewer settings may hold some meanwhile. */
const RELEASE_EVERY_MS = 10_000;
/** So much later something due elsewhere may be seen while there is much to do. */
const LOOK_EVERY_MS = 200;
/** A third of the claims' time. */
const RENEW_EVERY_MS = 10_000;
/** Deliveries in progress are given up so long after the stop. */
const STOP_MS = 8_000;

/**
 * Takes due messages from the ledger to the transports. Any number of these may run on one database. Lanes go before each
 * other, companies share evenly within a lane.
 */
export function createSenderWorker(deps: SenderDeps): Worker {
  const { db, clock, log, companies, composer, transports, missing, origin, tokenKey } = deps;
  const health = createHealth();
  const rests = createDomainRests();
  const claims = createClaims(db);
  const givingUp = new AbortController();
  let setSize = 100;
  let recoverAt = 0;
  let releaseAt = 0;
  let rotation = 0;
  let seen: { key: string; work: DueWork[]; until: number } = { key: '', work: [], until: 0 };

  /** Gives those of the ready that are to be delivered. */
  const exchanging = createBatcher<Exchange, ReadyMessage[]>({
    name: 'hand-overs',
    maxWaitMs: Number.POSITIVE_INFINITY,
    key: ({ delivered, ready }) => (ready[0] ?? delivered[0]!).message.companyId,
    run: async (companyId, exchanges) => {
      const all = {
        delivered: exchanges.flatMap((one) => one.delivered),
        ready: exchanges.flatMap((one) => one.ready),
      };
      const going = await exchange(db, await companies.get(companyId), tokenKey, all, clock.now(), rests);
      return exchanges.map(({ ready }) => ({ ok: true, value: ready.filter(({ message }) => going.has(message.id)) }));
    },
    maxSize: Math.ceil(LARGEST_SET / Math.max(bundleSizeOf(transports.email), bundleSizeOf(transports.sms))),
    maxInFlight: STRANDS,
  });
  const relays = { email: relayOf('email'), sms: relayOf('sms') };
  let stopping = false;

  function relayOf(channel: Channel): ReturnType<typeof createRelay> {
    const transport = transports[channel];
    const { provider, rate } = transport;
    const lease = (n: number) => leaseSendingTime(db, provider, n, rate ?? Number.POSITIVE_INFINITY);
    return createRelay({
      places: placesOf(transport),
      exchange: (one) => exchanging.submit(one),
      pace: rate === null ? null : createPace({ rate, lease }),
      mayBegin: () => !stopping && health.isOpen(channel),
      giveUp: givingUp.signal,
      async deliver(going) {
        const outgoing = going.map((one) => one.outgoing);
        const results = await transport.deliverAll(outgoing, givingUp.signal);
        const delivered = going.map(({ message, outgoing: { to } }, i) => ({ message, to, result: results[i]! }));
        health.note(channel, delivered);
        const now = clock.now();
        for (const { message, to, result } of delivered) rests.note(message, to, result, now);
        return delivered;
      },
    });
  }

  /** Sends a set, and holds on to its claims meanwhile. */
  async function sendHeld(companyId: number, claimed: ClaimedMessage[]): Promise<void> {
    const renewing = setInterval(() => {
      renewClaims(db, companyId, claimed).catch((error: unknown) => {
        log.warn({ err: error, company_id: companyId }, 'claims of messages could not be renewed');
      });
    }, RENEW_EVERY_MS);
    try {
      await sendSet(companyId, claimed);
    } finally {
      clearInterval(renewing);
    }
  }

  async function sendSet(companyId: number, claimed: ClaimedMessage[]): Promise<void> {
    const now = clock.now();
    const company = await companies.get(companyId);
    const held = missing.length === 0 ? [] : claimed.map((message) => holdBefore(missing, message));
    const sendable = claimed.filter((_, i) => !held[i]);
    const timely = await admitInTime(db, company, sendable, now);
    const { open, settled } = await admitByDomain(db, companyId, timely.open, rests, now);
    const ended = [...held.filter((one) => one !== null), ...timely.settled, ...settled];
    if (ended.length > 0) await settleMessages(db, companyId, ended, now);
    if (open.length > 0) await composer.compose(company, open, now, (portion) => sendPortion(companyId, portion, now));
  }

  async function sendPortion(companyId: number, portion: ComposedMessage[], now: Date): Promise<void> {
    const ready: ReadyMessage[] = [];
    const ended: Settled[] = [];
    for (const { message, composed } of portion) {
      const { id, epoch, channel } = message;
      const linked = composed.kind === 'ready' ? holdLinked(missing, message, composed.outgoing, origin()) : null;
      if (linked !== null) ended.push(linked);
      else if (composed.kind === 'ready')
        ready.push({ message, outgoing: composed.outgoing, transport: transports[channel].name });
      else if (composed.kind === 'later') {
        const { reason, attempt, dueAt } = composed;
        ended.push({ id, epoch, status: 'queued', reason, attempt, dueAt: dueAt ?? undefined });
      } else ended.push({ id, epoch, status: composed.kind, reason: composed.reason.slice(0, 500) });
    }
    if (ended.length > 0) await settleMessages(db, companyId, ended, now);
    const unsent: ClaimedMessage[] = [];
    const failures: unknown[] = [];
    await Promise.all(
      bundlesOf(ready).map(async (bundle) => {
        const messages = bundle.map(({ message }) => message);
        try {
          if ((await relays[messages[0]!.channel](bundle)) === 'refused') unsent.push(...messages);
        } catch (error) {
          failures.push(error);
          if (error instanceof NotBegun) unsent.push(...messages);
        }
      }),
    );
    if (unsent.length > 0) await giveBack(companyId, unsent);
    if (failures.length > 0) throw failures[0];
  }

  /** What is delivered together: campaigns' messages of a channel, as many as its transport takes; all others alone. */
  function bundlesOf(ready: ReadyMessage[]): ReadyMessage[][] {
    const bundles: ReadyMessage[][] = [];
    const open: Partial<Record<Channel, ReadyMessage[]>> = {};
    for (const one of ready) {
      const { channel, origin } = one.message;
      const bundle = origin.kind === 'campaign' ? open[channel] : undefined;
      if (bundle !== undefined && bundle.length < bundleSizeOf(transports[channel])) {
        bundle.push(one);
        continue;
      }
      const next = [one];
      bundles.push(next);
      if (origin.kind === 'campaign') open[channel] = next;
    }
    return bundles;
  }

  async function giveBack(companyId: number, messages: ClaimedMessage[]): Promise<void> {
    const free = messages.map(({ id, epoch }): Settled => ({ id, epoch, status: 'queued' }));
    await retry(() => settleMessages(db, companyId, free, clock.now()), givingUp.signal);
  }

  /** Sets that follow each other closely share what is due where: each look walks past what the index still has of the last. */
  async function dueWork(now: Date, channels: DueChannels): Promise<DueWork[]> {
    const key = channels.all.join();
    if (seen.key !== key || seen.work.length === 0 || monotonicMs() >= seen.until) {
      const work = await findDueWork(db, now, channels);
      seen = { key, work, until: monotonicMs() + LOOK_EVERY_MS };
    }
    return seen.work;
  }

  /** Claims a set over all companies and sends it; gives how many it claimed. */
  async function turn(): Promise<number> {
    const began = monotonicMs();
    const channels = (['email', 'sms'] as const).filter((channel) => health.isOpen(channel));
    if (channels.length === 0) return 0;
    const now = clock.now();
    const work = await dueWork(now, { all: channels, campaigns: channels.filter(sendsCampaigns) });
    const shares = shareOut(rotate(work, rotation++), setSize);
    const taken = await Promise.all(shares.map(({ work: one, limit }) => claims.take(one, { now, limit, channels })));
    const byCompany = Map.groupBy(taken.flat(), (message) => message.companyId);
    await eachCompany(byCompany);
    const claimed = taken.reduce((sum, some) => sum + some.length, 0);
    const took = monotonicMs() - began;
    if (took > SET_MS) setSize = Math.max(SMALLEST_SET, setSize >> 1);
    else if (claimed >= setSize) setSize = Math.min(LARGEST_SET, setSize * 2);
    return claimed;
  }

  /** What fails for one company is no reason to hold up the others: its claims run out, and it is tried again. */
  async function eachCompany(byCompany: Map<number, ClaimedMessage[]>): Promise<void> {
    const errors: unknown[] = [];
    await Promise.all(
      [...byCompany].map(([companyId, claimed]) =>
        sendHeld(companyId, claimed).catch((error: unknown) => {
          log.error({ err: error, company_id: companyId }, 'messages of a company could not be sent');
          errors.push(error);
        }),
      ),
    );
    // All of them: it is no company's own fault, and the worker waits a while.
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

  /** Campaigns wait as a whole, paused, and not by their messages. */
  function sendsCampaigns(channel: Channel): boolean {
    return missingFor(missing, channel, channel === 'email') === null;
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
    if (ended > 0) log.warn({ messages: ended }, 'messages of a worker that died were taken back');
    return ended;
  }

  return createWorker({
    name: 'sender',
    idleMs: IDLE_MS,
    log,
    nextDue: () => nextDueAt(db, clock.now()),
    async run(signal) {
      stopping = signal.aborted;
      const stop = (): void => {
        stopping = true;
        setTimeout(() => givingUp.abort(), STOP_MS).unref();
      };
      signal.addEventListener('abort', stop, { once: true });
      // A set may wait for its pace for minutes; what others held must not.
      const recovering = setInterval(() => {
        recover().catch((error: unknown) => log.warn({ err: error }, 'expired claims could not be ended'));
      }, RECOVER_EVERY_MS);
      try {
        const recovered = (await release()) + (await recover());
        seen.until = 0;
        const strands = await Promise.allSettled(Array.from({ length: STRANDS }, strand));
        return strands.reduce((sum, one) => {
          if (one.status === 'rejected') throw one.reason;
          return sum + one.value;
        }, recovered);
      } finally {
        clearInterval(recovering);
        signal.removeEventListener('abort', stop);
      }
    },
  });
}

/**
 * Where a connection takes several messages, half of them are delivered while what became of the other half is written
 * down and the next are handed over: no more than a whole batch of each is in doubt after a crash.
 */
function bundleSizeOf({ batch }: Transport): number {
  return batch === 1 ? 1 : batch >> 1;
}

function placesOf({ batch, concurrency }: Transport): number {
  return batch === 1 ? concurrency : 2 * concurrency;
}

/** Starts at another place each time, so that no company is always the last of its lane. */
function rotate(work: DueWork[], by: number): DueWork[] {
  const lanes = Object.values(LANES).map((lane) => work.filter((one) => one.lane === lane));
  return lanes.flatMap((lane) => lane.map((_, i) => lane[(i + by) % lane.length]!));
}

/**
 * How much each place with due work gets: the first lane that has any a whole set, the others a tenth of one, so that
 * none of them starves; evenly within a lane.
 */
export function shareOut(work: DueWork[], size: number): { work: DueWork; limit: number }[] {
  const lanes = Object.values(LANES).map((lane) => work.filter((one) => one.lane === lane));
  const first = lanes.findIndex((places) => places.length > 0);
  return lanes.flatMap((places, lane) => {
    const room = lane === first ? size : Math.max(LEAST_FOR_LOWER_LANES, Math.ceil(size / 10));
    const limit = Math.ceil(room / places.length);
    return places.slice(0, room).map((place) => ({ work: place, limit }));
  });
}
