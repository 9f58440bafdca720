import type pg from 'pg';
import manifest from '../../../package.json' with { type: 'json' };
import { type NewerMigration, whyIncompatible } from './compatibility.ts';
import type { Migration } from './migration-files.ts';

/** Migrations that were not applied yet. Throws where the database is too new for this program. */
export async function findOpen(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const done = await appliedVersions(client);
  const known = new Set(migrations.map((migration) => migration.version));
  const why = whyIncompatible(
    manifest.version,
    done.filter(({ version }) => !known.has(version)),
  );
  if (why !== null) throw new Error(`The database is newer than this program (${why}): start a newer program`);
  const applied = new Set(done.map(({ version }) => version));
  return migrations.filter((migration) => !applied.has(migration.version));
}

async function appliedVersions(client: pg.Client): Promise<NewerMigration[]> {
  const { rows: tables } = await client.query("select 1 from pg_tables where tablename = 'schema_migrations'");
  if (tables.length === 0) return [];
  // As JSON, because earlier programs created the table without these columns.
  const { rows } = await client.query<NewerMigration>(`
    select version, to_jsonb(m) ->> 'program_version' as program_version, (to_jsonb(m) ->> 'compatible')::boolean as compatible
    from schema_migrations m order by version`);
  return rows;
}
