import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { workOn } from '../db/barrier/work-connection.ts';
import { createDb } from '../db/create-db.ts';
import { migrate } from '../db/migrate.ts';
import type { ConnectionSettings } from '../db/pool.ts';
import { checkInvariants, type Finding } from '../invariants.ts';
import {
  archiving,
  durability,
  erasures,
  finding,
  held,
  inGeneral,
  pausedCompanies,
  seals,
  secrets,
  uncertainPayments,
} from './checks.ts';
import { health } from './health.ts';
import { findTableSizes, type TableSize } from './health-queries.ts';
import { webhookSenders } from './webhook-senders.ts';

/** A check of a large database may take long. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

export interface Examination {
  checks: Finding[];
  /** Largest first. */
  tables: TableSize[];
}

/** Checks everything that a program can check, on separate connections, one statement after the other. */
export async function examine(config: Readonly<Config>, connection: ConnectionSettings): Promise<Examination> {
  const { pending } = await migrate(connection, { check: true });
  const schema = finding(
    'schema',
    "The database has this program's schema",
    pending.map(inGeneral),
    'Run tradeloom migrate',
  );
  // Without the schema, nothing else can be queried.
  if (!schema.ok) return { checks: [schema], tables: [] };
  const work = await workOn(connection);
  const db = createDb({
    connection: work.connection,
    wire: config.databaseWire,
    connections: { points: 1, writes: 1 },
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    // For a trial, a database without durability is fine.
    const strict = config.mode === 'production' ? [await durability(connection)] : [];
    const archive = config.databaseUrl === null ? [await archiving(connection)] : [];
    const checks = [
      await secrets(config, db),
      await seals(db),
      await held(db),
      await pausedCompanies(db),
      await uncertainPayments(db),
      await erasures(config, db),
      await webhookSenders(db, systemClock.now()),
      ...(await health(db)),
    ];
    const barrier = finding(
      'barrier',
      'The database itself separates companies',
      work.gaps.map(inGeneral),
      'Start once as a database user that may make roles, or make them for it: see docs/operations.md',
    );
    const tables = await findTableSizes(db);
    return { checks: [schema, barrier, ...strict, ...archive, ...checks, ...(await checkInvariants(db))], tables };
  } finally {
    await db.close();
  }
}
