import type { Queryable, Tx } from './db/pool.ts';
import { rawSql, sql } from './db/sql.ts';

/** Ids in the demo shop, for the examples printed in the terminal. */
export interface DemoIds {
  company_id: number;
  /** Places the orders in the examples: a customer to whom nothing else is being sent. */
  customer_id: number;
  contact_id: number;
  email: string;
  product_id: number;
  /** The flow that is started by an order. */
  flow_id: number;
}

/** State of the installation as a whole. */
export interface Installation {
  /** null without a demo shop. */
  demo: DemoIds | null;
  clock_offset_ms: number;
}

/** An otherwise unused number. */
const FIRST_START_LOCK = 7_265_319_404;

/** Whether this transaction may decide about the first start: false while another one does. */
export async function mayDecide(tx: Tx): Promise<boolean> {
  const rows = await tx.query<{ got: boolean }>(sql`select pg_try_advisory_xact_lock(${FIRST_START_LOCK}) as got`);
  return rows[0]!.got;
}

/** True on a database where nothing was decided before. */
export async function claimFirstStart(tx: Tx): Promise<boolean> {
  const rows = await tx.query(sql`insert into installation default values on conflict do nothing returning 1`);
  return rows.length > 0;
}

/** What was decided at the first start. */
export async function findInstallation(db: Queryable): Promise<Installation> {
  const rows = await db.query<Installation>(sql`select demo, clock_offset_ms from installation`);
  return rows[0] ?? { demo: null, clock_offset_ms: 0 };
}

export async function saveDemo(tx: Tx, demo: DemoIds): Promise<void> {
  await tx.query(sql`update installation set demo = ${demo}`);
  await tx.query(sql`update companies set is_demo = true where company_id = ${demo.company_id}`);
}

export async function saveClockOffset(db: Queryable, offsetMs: number): Promise<void> {
  await db.query(sql`update installation set clock_offset_ms = ${offsetMs}`);
}

export interface Hold {
  since: Date;
  because: keyof typeof HELD_BECAUSE;
}

/** Why sending is held, as half a sentence. */
export const HELD_BECAUSE = {
  restored: 'this database was restored from a backup or copied',
  loaded: 'a company was loaded, which another installation may still run',
  asked: 'the operator asked for it',
  failover: 'the database has failed over and lost the last commits',
} as const;

/**
 * A condition for statements that find work which leaves the installation: messages, webhooks. On a new timeline nothing leaves before it is
 * known whether commits were lost.
 */
export const SENDING_ALLOWED = rawSql(`not exists (
        select 1 from installation i where i.sending_held_at is not null
          or nullif(split_part(i.home, ':', 2), '') <> substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`);

/** Returns the database in which sending was last allowed; a database that has never sent becomes that one. */
export async function readHome(db: Queryable, home: string): Promise<string> {
  const [found] = await db.query<{ home: string | null }>(sql`select home from installation`);
  if (found === undefined) return home;
  if (found.home !== null) return found.home;
  const [first] = await db.query<{ home: string }>(sql`
    update installation set home = coalesce(home, ${home}) returning home`);
  return first!.home;
}

/** Holds all sending of a database that was restored or copied. Returns true if sending is held since now. */
export async function holdRestored(db: Queryable, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update installation set sending_held_at = ${now}, sending_held_because = 'restored'
    where sending_held_because is distinct from 'restored' returning 1`);
  return rows.length > 0;
}

/** null where nothing is held. */
export async function findHold(db: Queryable): Promise<Hold | null> {
  const rows = await db.query<Hold>(sql`
    select sending_held_at as since, sending_held_because as because from installation
    where sending_held_at is not null`);
  return rows[0] ?? null;
}

export async function holdSending(db: Queryable, now: Date, because: 'asked' | 'loaded'): Promise<void> {
  await db.query(sql`
    insert into installation (sending_held_at, sending_held_because) values (${now}, ${because})
    on conflict (one) do update set sending_held_at = ${now}, sending_held_because = ${because}
    where installation.sending_held_at is null`);
}

/** Makes this the database that may send. */
export async function allowSending(db: Queryable, home: string): Promise<void> {
  await db.query(sql`
    update installation set home = ${home}, sending_held_at = null, sending_held_because = null, lost_messages = null`);
}
