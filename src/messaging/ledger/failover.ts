import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { differInTimeline, findHome } from '../../db/home.ts';
import type { Db } from '../../db/pool.ts';
import { holdRestored, readHome } from '../../installation.ts';
import {
  findLost,
  findSenders,
  followTimeline,
  type HandedOver,
  holdForFailover,
  removeSender,
  replayedAgo,
  type SenderState,
  writeChecked,
  writeSender,
} from './failover-queries.ts';
import type { ClaimedMessage } from './message.ts';

/** Writes of a process in the table. One more than this behind the process's memory means a recovery to an earlier time, not a failover. */
const WRITE_EVERY_MS = 10_000;
const MEMORY_MS = 60_000;
const OTHERS_MS = 15_000;
/** A standby that was promoted has replayed its last transaction shortly before; a backup that was restored may be of any age. */
const REPLAYED_SECONDS = 600;

interface Place {
  db: Db;
  config: Pick<Config, 'databaseUrl' | 'dataDir'>;
  now: Date;
}

/**
 * Holds all sending if this is not the database in which it was last allowed. After a failover, the processes that send decide (see
 * createMoveWatch), unless it shows here already that the database was recovered to an earlier time. Returns true if sending is held since
 * now.
 */
export async function holdIfMoved({ db, config, now }: Place): Promise<boolean> {
  const home = await findHome(db, config);
  const before = await readHome(db, home);
  if (before === home) return false;
  if (differInTimeline(before, home, config) && (await isPromoted(db))) return false;
  return holdRestored(db, now);
}

async function isPromoted(db: Db): Promise<boolean> {
  const ago = await replayedAgo(db);
  return ago !== null && ago < REPLAYED_SECONDS;
}

export interface MoveWatch {
  /** Returns true if sending is held since now because of a restore. */
  look(): Promise<boolean>;
  leave(): Promise<void>;
}

interface WatchDeps {
  db: Db;
  config: Place['config'];
  /** Other than that of `db` in tests. */
  homeNow?: () => Promise<string>;
  clock: Clock;
  log: Logger;
  handOvers: HandOverMemory;
  othersMs?: number;
}

/**
 * Watches in a process that sends whether the database is still the one in which sending was last allowed. In another one, sending is
 * held. On a new timeline of the same one, it continues when every process that was sending has found its latest commits there: what it
 * wrote to the table, and its hand-overs. Where one misses some, sending is held with the messages concerned; where one does not respond,
 * as after a restore.
 */
export function createMoveWatch(deps: WatchDeps): MoveWatch {
  const { db, config, clock, log, handOvers, othersMs = OTHERS_MS, homeNow = () => findHome(db, config) } = deps;
  const id = randomUUID();
  /** What this process has written last, by the clock of the database and by that of the machine. */
  let written: { at: number; since: number } | null = null;
  /** The database on which this process has found its commits. */
  let checked: string | null = null;
  let undecidedSince: number | null = null;
  async function look(): Promise<boolean> {
    const home = await homeNow();
    const before = await readHome(db, home);
    if (before === home) {
      undecidedSince = null;
      await write(home);
      return false;
    }
    if (!differInTimeline(before, home, config)) return holdRestored(db, clock.now());
    return decide(before, home);
  }

  async function write(home: string): Promise<void> {
    const now = monotonicMs();
    if (checked === home && written !== null && now - written.since < WRITE_EVERY_MS) return;
    const at = await writeSender(db, id, home);
    if (at === null) return;
    checked = home;
    if (written !== null) handOvers.forgetBefore(written.since - MEMORY_MS);
    written = { at, since: now };
  }

  async function decide(before: string, home: string): Promise<boolean> {
    const { senders, held_because: held } = await findSenders(db);
    if (held === 'restored') return false;
    undecidedSince ??= monotonicMs();
    if (checked !== home && !(await checkOwn(senders[id]))) return holdRestored(db, clock.now());
    if (checked !== home) await writeChecked(db, id, home);
    checked = home;
    const missing = Object.entries(senders).filter(([other, state]) => other !== id && state.home !== home);
    if (missing.length === 0) {
      if (await followTimeline(db, before, home))
        log.warn('the database has failed over without losing a commit: sending continues');
      return false;
    }
    if (monotonicMs() - undecidedSince < othersMs) return false;
    log.error(
      { processes: missing.length },
      'the database has failed over, and processes that were sending do not respond',
    );
    return holdRestored(db, clock.now());
  }

  /** Holds sending if the database lacks commits that this process has seen; false where nobody can tell which. */
  async function checkOwn(found: SenderState | undefined): Promise<boolean> {
    // Started on the new timeline: it has missed nothing, but cannot tell a standby from a backup by what it knows.
    if (written === null) return isPromoted(db);
    const lost = await findLost(db, handOvers.list());
    const behindMs = written.at - (found?.at ?? 0);
    if (behindMs > MEMORY_MS || handOvers.mayLackMore(lost)) return false;
    if (lost.length === 0 && behindMs <= 0) return true;
    const isNew = await holdForFailover(db, lost, clock.now());
    if (isNew || lost.length > 0) {
      log.error(
        { messages: lost.length },
        'the database has failed over and lost commits: sending is held until tradeloom sending confirm',
      );
    }
    return true;
  }

  return {
    look,
    async leave() {
      if (written !== null) await removeSender(db, id);
    },
  };
}

/** Messages remembered at most: a minute at twice the highest rate that was measured. */
const MOST = 100_000;

/**
 * What this process knows of its latest hand-overs, to find out after a failover whether the database still knows them. Messages that
 * were not accepted, and will be tried again, are not remembered.
 */
export class HandOverMemory {
  private readonly messages = new Map<string, HandedOver & { since: number }>();
  /** Whether messages were forgotten for lack of room. */
  private overflowed = false;

  handedOver(messages: readonly ClaimedMessage[]): void {
    const since = monotonicMs();
    for (const { companyId, id, epoch, attempts, contactId, origin } of messages) {
      const key = `${companyId}:${id}`;
      this.messages.delete(key);
      this.messages.set(key, {
        company_id: companyId,
        id,
        epoch,
        attempts,
        contact_id: contactId,
        campaign_id: origin.kind === 'campaign' ? origin.campaignId : null,
        flow_id: origin.kind === 'flow' ? origin.flowId : null,
        step_id: origin.kind === 'flow' ? origin.stepId : null,
        settled: false,
        since,
      });
    }
    for (const key of this.messages.keys()) {
      if (this.messages.size <= MOST) break;
      this.messages.delete(key);
      this.overflowed = true;
    }
  }

  /** @param isDone false for a message that was not accepted and is tried again */
  settled({ companyId, id }: ClaimedMessage, isDone: boolean): void {
    const key = `${companyId}:${id}`;
    const known = this.messages.get(key);
    if (known === undefined) return;
    if (isDone) known.settled = true;
    else this.messages.delete(key);
  }

  /** Forgets messages handed over before this moment, in `monotonicMs`. */
  forgetBefore(moment: number): void {
    for (const [key, { since }] of this.messages) {
      if (since >= moment) return;
      this.messages.delete(key);
    }
  }

  list(): HandedOver[] {
    return [...this.messages.values()];
  }

  /** Whether more messages may be lost than those given, which the database has lost. */
  mayLackMore(lost: readonly HandedOver[]): boolean {
    return this.overflowed && lost.length >= this.messages.size;
  }
}
