import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { becomeOwner, ensureRoles } from './barrier/roles.ts';
import { isBarrierWhole, raiseTenantBarrier } from './barrier/tenant-barrier.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** Held while migrating, so that of several programs that start at once one migrates and the others wait. */
const LOCK = 7_265_319_402;

export interface Migration {
  version: number;
  name: string;
  text: string;
}

export interface MigrationReport {
  applied: string[];
  pending: string[];
}

export async function listMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (name) => ({
      version: Number(name.slice(0, 4)),
      name,
      text: await readFile(new URL(name, FOLDER), 'utf8'),
    })),
  );
}

/**
 * Brings the database to this program's schema, each migration in a transaction of its own. Refuses a database that is
 * newer than the program, and a PostgreSQL older than 15. With `check`, only says what would run.
 */
export async function migrate(
  connection: pg.ClientConfig,
  options: { check?: boolean; log?: (line: string) => void } = {},
): Promise<MigrationReport> {
  const client = new pg.Client(connection);
  await client.connect().catch(explainUnreachable);
  try {
    await requireServer(client);
    await client.query(`select pg_advisory_lock(${LOCK})`);
    const migrations = await listMigrations();
    const done = await appliedVersions(client);
    const newest = Math.max(0, ...done);
    const known = migrations.at(-1)?.version ?? 0;
    if (newest > known) {
      throw new Error(`The database is at schema ${newest}, this program knows up to ${known}: start a newer program`);
    }
    const open = migrations.filter((migration) => !done.has(migration.version));
    if (options.check) return { applied: [], pending: open.map((migration) => migration.name) };
    const mayRaise = await ensureRoles(client, connection);
    await becomeOwner(client, connection);
    for (const migration of open) {
      await apply(client, migration, mayRaise && migration === open.at(-1));
      options.log?.(`Applied migration ${migration.name}`);
    }
    // A dump restored where the roles are missing has lost it: nothing but this look would tell.
    if (mayRaise && !(await isBarrierWhole(client))) {
      await raiseTenantBarrier(client);
      options.log?.('Raised the barrier between companies again');
    }
    return { applied: open.map((migration) => migration.name), pending: [] };
  } finally {
    await client.end();
  }
}

function explainUnreachable(cause: unknown): never {
  // A name with several addresses gives one error for each, and none of its own.
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

async function appliedVersions(client: pg.Client): Promise<Set<number>> {
  const { rows: tables } = await client.query("select 1 from pg_tables where tablename = 'schema_migrations'");
  if (tables.length === 0) return new Set();
  const { rows } = await client.query<{ version: number }>('select version from schema_migrations');
  return new Set(rows.map((row) => row.version));
}

/** @param raisesBarrier whether it is the last one, with which the barrier goes around new tables too */
async function apply(client: pg.Client, migration: Migration, raisesBarrier: boolean): Promise<void> {
  await client.query('begin');
  try {
    await client.query(
      'create table if not exists schema_migrations (version int primary key, name text not null, applied_at timestamptz not null default now())',
    );
    await client.query(migration.text);
    await client.query('insert into schema_migrations (version, name) values ($1, $2)', [
      migration.version,
      migration.name,
    ]);
    if (raisesBarrier) await raiseTenantBarrier(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}
