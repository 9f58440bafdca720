import type { Queryable, Tx } from './db/pool.ts';
import { sql } from './db/sql.ts';

/** Ids in the demo shop, for the examples that the terminal shows. */
export interface DemoIds {
  company_id: number;
  /** Orders in the examples: somebody to whom nothing else is being sent. */
  customer_id: number;
  contact_id: number;
  email: string;
  product_id: number;
  /** The flow that an order starts. */
  flow_id: number;
}

/** What holds for the installation as a whole. */
export interface Installation {
  /** null without a demo shop. */
  demo: DemoIds | null;
  clock_offset_ms: number;
}

/** Any number that nothing else locks. */
const FIRST_START_LOCK = 7_265_319_404;

/** Whether this transaction may decide about the first start; while another one does, nobody else may. */
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
}

export async function saveClockOffset(db: Queryable, offsetMs: number): Promise<void> {
  await db.query(sql`update installation set clock_offset_ms = ${offsetMs}`);
}
