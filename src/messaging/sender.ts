import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { CompanyCache } from '../access/company-versions.ts';
import { type Clock, monotonicMs } from '../clock.ts';
import { createBatcher } from '../db/batch.ts';
import type { Db } from '../db/pool.ts';
import { createWorker, type Worker } from '../work/worker.ts';
import type { Composer } from './compose.ts';
import { handOver, type ReadyMessage } from './hand-over.ts';
import * as ledger from './ledger-queries.ts';
import { type Channel, type ClaimedMessage, LANES } from './message.ts';
import { createPace } from './pace.ts';
import { leaseSendingTime } from './pace-queries.ts';
import { type Delivered, recordDelivered } from './record.ts';
import type { SendingCompany } from './settings.ts';
import { createHealth } from './transport-health.ts';
import type { Transport } from './transports/port.ts';
import { createTurns } from './transports/turns.ts';

export interface SenderDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  composer: Composer;
  transports: Record<Channel, Transport>;
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
/** A third of the claims' time. */
const RENEW_EVERY_MS = 10_000;
/** Deliveries in progress are given up so long after the stop. */
const STOP_MS = 8_000;

/**
 * Takes due messages from the ledger to the transports. Any number of these may run on one database. Lanes go before each
 * other, companies share evenly within a lane.
 */
export function createSenderWorker(deps: SenderDeps): Worker {
  const { db, clock, log, companies, composer, transports, tokenKey } = deps;
  const health = createHealth();
  const turns = { email: createTurns(transports.email.concurrency), sms: createTurns(transports.sms.concurrency) };
  const pace = { email: paceOf(transports.email), sms: paceOf(transports.sms) };
  function paceOf({ provider, rate }: Transport): (n?: number) => Promise<void> {
    return createPace({ rate, lease: (n) => leaseSendingTime(db, provider, n, rate ?? Number.POSITIVE_INFINITY) });
  }
  const givingUp = new AbortController();
  let setSize = 100;
  let recoverAt = 0;
  let rotation = 0;

  const most = Math.ceil(LARGEST_SET / Math.max(transports.email.batch, transports.sms.batch));
  /** Gives those of the bundle that are to be delivered. */
  const handingOver = createBatcher<ReadyMessage[], ReadyMessage[]>({
    name: 'hand-overs',
    key: ([first]) => first!.message.companyId,
    run: async (companyId, bundles) => {
      const passed = await handOver(db, await companies.get(companyId), tokenKey, bundles.flat(), clock.now());
      return bundles.map((bundle) => ({ ok: true, value: bundle.filter(({ message }) => passed.has(message.id)) }));
    },
    maxSize: most,
    maxInFlight: STRANDS,
  });
  const recording = createBatcher<Delivered[], void>({
    name: 'deliveries',
    key: ([first]) => first!.message.companyId,
    run: async (companyId, bundles) => {
      await recordDelivered(db, companyId, tokenKey, bundles.flat(), clock.now());
      return bundles.map(() => ({ ok: true, value: undefined }));
    },
    maxSize: most,
    maxInFlight: STRANDS,
  });

  /** One bundle through gate, transport and ledger. Where it cannot go now, the claims are given back. */
  async function send(bundle: ReadyMessage[], stopping: AbortSignal, unsent: ClaimedMessage[]): Promise<void> {
    const { channel } = bundle[0]!.message;
    await turns[channel].take(async () => {
      if (stopping.aborted || !health.isOpen(channel)) {
        unsent.push(...bundle.map(({ message }) => message));
        return;
      }
      await pace[channel](bundle.length);
      const going = await handingOver.submit(bundle);
      if (going.length === 0) return;
      const results = await transports[channel].deliverAll(
        going.map(({ outgoing }) => outgoing),
        givingUp.signal,
      );
      health.note(channel, results);
      await recording.submit(
        going.map(({ message, outgoing }, i) => ({ message, to: outgoing.to, result: results[i]! })),
      );
    });
  }

  /** Sends a set, and holds on to its claims meanwhile. */
  async function sendHeld(companyId: number, claimed: ClaimedMessage[], stopping: AbortSignal): Promise<void> {
    const renewing = setInterval(() => {
      ledger.renewClaims(db, companyId, claimed).catch((error: unknown) => {
        log.warn({ err: error, company_id: companyId }, 'claims of messages could not be renewed');
      });
    }, RENEW_EVERY_MS);
    try {
      await sendSet(companyId, claimed, stopping);
    } finally {
      clearInterval(renewing);
    }
  }

  async function sendSet(companyId: number, claimed: ClaimedMessage[], stopping: AbortSignal): Promise<void> {
    const now = clock.now();
    const composed = await composer.compose(await companies.get(companyId), claimed, now);
    const ready: ReadyMessage[] = [];
    const ended: ledger.Step[] = [];
    claimed.forEach((message, i) => {
      const { id, epoch, channel } = message;
      const one = composed[i]!;
      if (one.kind === 'ready') ready.push({ message, outgoing: one.outgoing, transport: transports[channel].name });
      else ended.push({ id, epoch, status: one.kind, reason: one.reason.slice(0, 500) });
    });
    if (ended.length > 0) await ledger.stepFrom(db, companyId, 'claimed', ended, now);
    const unsent: ClaimedMessage[] = [];
    const outcomes = await Promise.allSettled(bundlesOf(ready).map((bundle) => send(bundle, stopping, unsent)));
    if (unsent.length > 0) await giveBack(companyId, unsent);
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  /** What is delivered together: campaigns' messages of a channel, as many as its transport takes; all others alone. */
  function bundlesOf(ready: ReadyMessage[]): ReadyMessage[][] {
    const bundles: ReadyMessage[][] = [];
    const open: Partial<Record<Channel, ReadyMessage[]>> = {};
    for (const one of ready) {
      const { channel, origin } = one.message;
      const bundle = origin.kind === 'campaign' ? open[channel] : undefined;
      if (bundle !== undefined && bundle.length < transports[channel].batch) {
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
    const steps = messages.map(({ id, epoch }): ledger.Step => ({ id, epoch, status: 'queued' }));
    await ledger.stepFrom(db, companyId, 'claimed', steps, clock.now());
  }

  /** Claims a set over all companies and sends it; gives how many it claimed. */
  async function turn(stopping: AbortSignal): Promise<number> {
    const began = monotonicMs();
    const channels = (['email', 'sms'] as const).filter((channel) => health.isOpen(channel));
    if (channels.length === 0) return 0;
    const now = clock.now();
    const work = await ledger.findDueWork(db, now, channels);
    const shares = shareOut(rotate(work, rotation++), setSize);
    const claims = await Promise.all(
      shares.map(({ work: one, limit }) => ledger.claimMessages(db, one, { now, limit, channels })),
    );
    const byCompany = Map.groupBy(claims.flat(), (message) => message.companyId);
    await Promise.all([...byCompany].map(([companyId, claimed]) => sendHeld(companyId, claimed, stopping)));
    const claimed = claims.reduce((sum, some) => sum + some.length, 0);
    const took = monotonicMs() - began;
    if (took > SET_MS) setSize = Math.max(SMALLEST_SET, setSize >> 1);
    else if (claimed >= setSize) setSize = Math.min(LARGEST_SET, setSize * 2);
    return claimed;
  }

  async function strand(stopping: AbortSignal): Promise<number> {
    let done = 0;
    for (let i = 0; i < SETS_PER_TURN && !stopping.aborted; i++) {
      const claimed = await turn(stopping);
      if (claimed === 0) break;
      done += claimed;
    }
    return done;
  }

  async function recover(): Promise<number> {
    if (monotonicMs() < recoverAt) return 0;
    recoverAt = monotonicMs() + RECOVER_EVERY_MS;
    const ended = await ledger.endExpiredLeases(db, clock.now());
    if (ended > 0) log.warn({ messages: ended }, 'messages of a worker that died were taken back');
    return ended;
  }

  return createWorker({
    name: 'sender',
    idleMs: IDLE_MS,
    log,
    nextDue: () => ledger.nextDueAt(db, clock.now()),
    async run(stopping) {
      const giveUp = (): void => void setTimeout(() => givingUp.abort(), STOP_MS).unref();
      stopping.addEventListener('abort', giveUp, { once: true });
      try {
        const recovered = await recover();
        const strands = await Promise.allSettled(Array.from({ length: STRANDS }, () => strand(stopping)));
        return strands.reduce((sum, one) => {
          if (one.status === 'rejected') throw one.reason;
          return sum + one.value;
        }, recovered);
      } finally {
        stopping.removeEventListener('abort', giveUp);
      }
    },
  });
}

/** Starts at another place each time, so that no company is always the last of its lane. */
function rotate(work: ledger.DueWork[], by: number): ledger.DueWork[] {
  const lanes = Object.values(LANES).map((lane) => work.filter((one) => one.lane === lane));
  return lanes.flatMap((lane) => lane.map((_, i) => lane[(i + by) % lane.length]!));
}

/**
 * How much each place with due work gets: the first lane that has any a whole set, the others a tenth of one, so that
 * none of them starves; evenly within a lane.
 */
export function shareOut(work: ledger.DueWork[], size: number): { work: ledger.DueWork; limit: number }[] {
  const lanes = Object.values(LANES).map((lane) => work.filter((one) => one.lane === lane));
  const first = lanes.findIndex((places) => places.length > 0);
  return lanes.flatMap((places, lane) => {
    const room = lane === first ? size : Math.max(LEAST_FOR_LOWER_LANES, Math.ceil(size / 10));
    const limit = Math.ceil(room / places.length);
    return places.slice(0, room).map((place) => ({ work: place, limit }));
  });
}
