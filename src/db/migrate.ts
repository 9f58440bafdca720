import pg from 'pg';
import manifest from '../../package.json' with { type: 'json' };
import { becomeOwner, ensureRoles, isEmbedded } from './barrier/roles.ts';
import { isBarrierWhole, raiseTenantBarrier } from './barrier/tenant-barrier.ts';
import { lockMigrations, withLocks } from './migrating/locks.ts';
import { listMigrations, type Migration, statementsOf } from './migrating/migration-files.ts';
import { findOpen } from './migrating/open-migrations.ts';
import { type PlannedLock, planMigrations } from './migrating/plan.ts';
import { isPooledByTransaction, requirePreparedStatements } from './migrating/pooler.ts';

/** Lock held while migrating, so that of several programs that start at once one migrates and the others wait. */
const LOCK = 7_265_319_402;

export interface MigrationReport {
  applied: string[];
  pending: string[];
  /** Whether a pooler gives a connection of the server to each transaction. */
  isPooled: boolean;
  /** With `plan`: the tables that pending migrations lock, and for how long. */
  locks?: PlannedLock[];
}

/**
 * Migrates the database to this program's schema, each migration in a transaction of its own, unless it declares
 * otherwise. Refuses a database that was migrated by a program more than one minor version ahead, and a PostgreSQL
 * older than 15. With `check`, only reports what would run; with `plan`, also what that would lock.
 * See docs/design/migrations-and-upgrades.md.
 */
export async function migrate(
  connection: pg.ClientConfig,
  options: { check?: boolean; plan?: boolean; log?: (line: string) => void; migrations?: Migration[] } = {},
): Promise<MigrationReport> {
  const client = new pg.Client(connection);
  await client.connect().catch(explainUnreachable);
  try {
    await requireServer(client);
    const isPooled = await isPooledByTransaction(client, connection);
    if (isPooled) await requirePreparedStatements(client);
    const migrations = options.migrations ?? (await listMigrations());
    let open = await findOpen(client, migrations);
    const pending = open.map((migration) => migration.name);
    if (options.plan) return { applied: [], pending, isPooled, locks: await planMigrations(client, open) };
    if (options.check) return { applied: [], pending, isPooled };
    const mayRaise = await ensureRoles(client, connection);
    // Without a lock, which a pooler's idle connection might hold.
    const isDone = open.length === 0 && !isEmbedded(connection) && (!mayRaise || (await isBarrierWhole(client)));
    if (isDone) return { applied: [], pending, isPooled };
    // The lock belongs to a connection of the server, which the pooler would give to others, and keep.
    if (isPooled) throw new Error(throughPooler(open.length));
    await lockMigrations(client, LOCK);
    // Another process may have migrated meanwhile.
    open = await findOpen(client, migrations);
    const isNew = open.length === migrations.length;
    await becomeOwner(client, connection);
    for (const migration of open) {
      // Programs running on the schema meanwhile reach new tables by triggers: every table must have its grants at once.
      const raisesBarrier = mayRaise && (!isNew || migration === open.at(-1));
      const { log } = options;
      await withLocks(client, () => apply(client, migration, raisesBarrier), {
        name: migration.name,
        ...(log && { log }),
      });
      options.log?.(`Applied migration ${migration.name}`);
    }
    // A dump restored where the roles are missing has lost the barrier: nothing but this check would notice.
    if (mayRaise && !(await isBarrierWhole(client))) {
      await raiseTenantBarrier(client);
      options.log?.('Raised the barrier between companies again');
    }
    return { applied: open.map((migration) => migration.name), pending: [], isPooled };
  } finally {
    await client.end();
  }
}

function throughPooler(pending: number): string {
  const what =
    pending > 0 ? `${pending} migrations are to be applied` : 'The barrier between companies must be raised again';
  return `${what}, and DATABASE_URL leads to a pooler in transaction mode: run tradeloom migrate with the address of the server itself`;
}

function explainUnreachable(cause: unknown): never {
  // A name with several addresses yields one error for each, and no message of its own.
  const reasons = cause instanceof AggregateError ? cause.errors : [cause];
  const reason = reasons.map((error) => (error as Error).message).join(', ');
  throw new Error(`The database cannot be reached (${reason}): is PostgreSQL running, and DATABASE_URL right?`, {
    cause,
  });
}

async function requireServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  const version = rows[0]!.version;
  if (version < 150_000) throw new Error(`PostgreSQL 15 or newer is needed; this server is ${version}`);
}

/** @param raisesBarrier whether to raise the barrier around new tables with it; for a new database the last one does that */
async function apply(client: pg.Client, migration: Migration, raisesBarrier: boolean): Promise<void> {
  try {
    if (!migration.inTransaction) await applyAlone(client, migration);
    await client.query('begin');
    await ensureTable(client);
    if (migration.inTransaction) await client.query(migration.text);
    await client.query(
      'insert into schema_migrations (version, name, program_version, compatible) values ($1, $2, $3, $4)',
      [migration.version, migration.name, manifest.version, migration.isCompatible],
    );
    if (raisesBarrier) await raiseTenantBarrier(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

async function ensureTable(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists schema_migrations (
      version int primary key,
      name text not null,
      applied_at timestamptz not null default now(),
      program_version text not null,
      compatible boolean not null
    )`);
}

/** Runs each statement on its own. An index that an interrupted attempt left invalid is rebuilt. */
async function applyAlone(client: pg.Client, { text }: Migration): Promise<void> {
  // No one queues for the lock of an index that is built concurrently, so it may wait for long transactions.
  await client.query('set lock_timeout = 0');
  for (const statement of statementsOf(text)) {
    const index = /^create (?:unique )?index concurrently if not exists (\w+)/i.exec(statement)?.[1];
    if (index !== undefined) {
      const { rows } = await client.query(
        'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
        [index],
      );
      if (rows.length > 0) await client.query(`drop index concurrently ${index}`);
    }
    await client.query(statement);
  }
}
