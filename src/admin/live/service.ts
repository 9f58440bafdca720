import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Role } from '../../access/roles.ts';
import { grants } from '../../access/scopes.ts';
import type { AdminSessions, Session } from '../../access/sessions.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { FairQueue, type Hold } from '../../lib/fair-queue.ts';
import { gauge } from '../../lib/measures.ts';
import { changedBetween, eventIdOf, LIVE_KINDS, type LiveKind, type Marks, marksOfEventId } from './kinds.ts';
import { marksOf } from './watcher.ts';

/** How often a process polls for changes while anyone is watching. */
const POLL_MS = 1_000;
/** A new stream is served at once, but many that arrive together share a poll. */
const SOON_MS = 250;
/** Less than the minute after which proxies close a silent response. */
const HEARTBEAT_MS = 20_000;
/** If sessions could not be checked for this long, their streams are ended. */
const UNCHECKED_MS = 15_000;
/** Maximum unread bytes of a client. An event has about 200 bytes and can report several changes. */
const MAX_WAITING = 8_192;
/** Delay before a browser reconnects. */
const RETRY_MS = 3_000;
const RETRY_AFTER_SECONDS = 60;

export interface LiveLimits {
  /** One more ends the oldest: the stream of a laptop that went to sleep must not be in the way. */
  perPerson: number;
  /** Of one company. */
  share: number;
  capacity: number;
}

/** Per process. */
export const LIVE_LIMITS: LiveLimits = { perPerson: 6, share: 50, capacity: 500 };

const open = gauge('tradeloom_live_streams', 'Streams of the admin app that are open', {});

interface Stream {
  companyId: number;
  session: Session;
  role: Role;
  scopes: ReadonlySet<string>;
  out: Readable;
  hold: Hold;
  /** What its reader knows; null before the first poll. */
  seen: Marks | null;
  isReady: boolean;
}

interface Watcher {
  session: Session;
  lastEventId: string | null;
}

export interface LiveDeps {
  db: Db;
  sessions: Pick<AdminSessions, 'standingIn' | 'rolesOf'>;
  clock: Clock;
  log: Logger;
  limits?: LiveLimits;
}

export type LiveService = ReturnType<typeof createLiveService>;

/** Notifies open pages of the admin app of changes. One poll serves all streams of the process. */
export function createLiveService({ db, sessions, clock, log, limits = LIVE_LIMITS }: LiveDeps) {
  const { perPerson, share, capacity } = limits;
  const refusal = (): AppError =>
    new AppError('rate_limited', 'Too many pages are open: this one is not told of changes by itself', {
      retry_after: RETRY_AFTER_SECONDS,
    });
  const places = new FairQueue({ capacity, share, refusal });
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let isExpected = false;
  let polledAt = Number.NEGATIVE_INFINITY;
  let checkedAt = 0;
  let spokeAt = 0;

  function remove(stream: Stream): void {
    if (!streams.delete(stream)) return;
    stream.hold.release();
    open.dec();
    if (streams.size === 0) clearTimeout(timer);
  }

  function end(stream: Stream): void {
    remove(stream);
    stream.out.push(null);
  }

  function send(stream: Stream, text: string): void {
    if (stream.out.readableLength > MAX_WAITING) {
      remove(stream);
      stream.out.destroy();
    } else stream.out.push(text);
  }

  /** Ends the streams of sessions that have ended, and of people whose role has changed. */
  async function checkSessions(): Promise<void> {
    const asked = [...streams];
    const roles = await sessions.rolesOf(asked.map(({ session, companyId }) => ({ sessionId: session.id, companyId })));
    asked.forEach((stream, i) => {
      if (roles[i] !== stream.role) end(stream);
    });
    checkedAt = monotonicMs();
  }

  async function look(): Promise<void> {
    await checkSessions();
    const companies = [...new Set([...streams].map(({ companyId }) => companyId))];
    const marks = await marksOf(db, companies, clock.now());
    for (const stream of streams) {
      const now = marks.get(stream.companyId);
      if (now !== undefined) tell(stream, now);
    }
  }

  function tell(stream: Stream, marks: Marks): void {
    const changed =
      stream.seen === null ? [] : changedBetween(stream.seen, marks).filter((kind) => mayKnow(stream, kind));
    stream.seen = marks;
    if (!stream.isReady) {
      stream.isReady = true;
      send(stream, eventOf('ready', marks, {}));
    }
    if (changed.length > 0) send(stream, eventOf('change', marks, { kinds: changed }));
  }

  function beat(): void {
    if (monotonicMs() - spokeAt < HEARTBEAT_MS) return;
    spokeAt = monotonicMs();
    for (const stream of streams) send(stream, ':\n\n');
  }

  async function poll(): Promise<void> {
    polling = true;
    isExpected = false;
    polledAt = monotonicMs();
    try {
      await look();
    } catch (error) {
      log.warn({ err: error, streams: streams.size }, 'looking for changes failed');
      // It is unknown whether these people may still see anything.
      if (monotonicMs() - checkedAt > UNCHECKED_MS) for (const stream of streams) end(stream);
    }
    beat();
    polling = false;
    if (streams.size > 0) schedule(isExpected ? SOON_MS : POLL_MS);
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void poll(), ms);
    timer.unref();
  }

  /** Polls soon, because a new stream waits for its first state. */
  function pollSoon(): void {
    if (polling) isExpected = true;
    else schedule(Math.max(0, SOON_MS - (monotonicMs() - polledAt)));
  }

  /** Ends the person's oldest stream if another one would be too many. */
  function makeRoom(companyId: number, personId: number | null): void {
    const own = [...streams].filter((one) => one.companyId === companyId && one.session.personId === personId);
    if (own.length >= perPerson) end(own[0]!);
  }

  return {
    /** Throws not_found if the person is not a member, rate_limited. */
    open(companyId: number, { session, lastEventId }: Watcher): Readable {
      const { role, scopes } = sessions.standingIn(session, companyId);
      makeRoom(companyId, session.personId);
      const hold = places.takeNow(companyId);
      const out = new Readable({ read() {}, highWaterMark: MAX_WAITING });
      const seen = marksOfEventId(lastEventId);
      const stream: Stream = { companyId, session, role, scopes, out, hold, seen, isReady: false };
      if (streams.size === 0) {
        checkedAt = monotonicMs();
        spokeAt = monotonicMs();
      }
      streams.add(stream);
      open.inc();
      out.once('close', () => remove(stream));
      // Sends the headers with it.
      out.push(`retry: ${RETRY_MS}\n\n`);
      pollSoon();
      return out;
    },

    /** Ends all streams: browsers reconnect to another process. */
    close(): void {
      for (const stream of streams) end(stream);
    },
  };
}

function mayKnow({ scopes }: Stream, kind: LiveKind): boolean {
  return grants(scopes, LIVE_KINDS[kind]);
}

function eventOf(name: string, marks: Marks, data: object): string {
  return `id: ${eventIdOf(marks)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
