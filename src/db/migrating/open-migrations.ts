import type pg from 'pg';
import manifest from '../../../package.json' with { type: 'json' };
import { type NewerMigration, whyIncompatible } from './compatibility.ts';
import type { Migration } from './migration-files.ts';

interface AppliedMigration extends NewerMigration {
  name: string;
}

/** Returns the migrations that have not been applied. Throws if the database is too new, or was made by an unreleased version. */
export async function findOpen(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const done = await appliedVersions(client);
  const known = new Map(migrations.map((migration) => [migration.version, migration.name]));
  // Numbers are never reused after a release, but the migrations before the first release were replaced.
  const other = done.find(({ version, name }) => (known.get(version) ?? name) !== name);
  if (other !== undefined) {
    throw new Error(
      `The database was made by an unreleased version (it has the migration ${other.name}) and cannot be upgraded: use an empty database`,
    );
  }
  const why = whyIncompatible(
    manifest.version,
    done.filter(({ version }) => !known.has(version)),
  );
  if (why !== null) throw new Error(`The database is newer than this program (${why}): start a newer program`);
  const applied = new Set(done.map(({ version }) => version));
  return migrations.filter((migration) => !applied.has(migration.version));
}

async function appliedVersions(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows: tables } = await client.query("select 1 from pg_tables where tablename = 'schema_migrations'");
  if (tables.length === 0) return [];
  const { rows } = await client.query<AppliedMigration>('select m.* from schema_migrations m order by version');
  return rows;
}
