import pg from 'pg';
import type { ConnectionSettings } from '../pool.ts';
import { findGaps } from './gaps.ts';
import { isElevated, isEmbedded, PROGRAM_ROLE, TENANT_ROLE } from './roles.ts';

/** How the program works on a database, and what the barrier between companies lacks there. */
export interface Work {
  connection: ConnectionSettings;
  /** Whether transactions on one company's behalf can take the role of tenants. */
  barrier: boolean;
  /** In sentences; none where the barrier is complete. */
  gaps: string[];
}

/**
 * Returns the settings with which the program works, from those with which it migrates. A superuser, or a user that
 * bypasses row-level security, becomes the program's role; in the embedded database it logs in as that role.
 */
export async function workOn(connection: ConnectionSettings): Promise<Work> {
  const working = await asProgram(connection);
  return connected(working, async (client) => {
    const gaps = await findGaps(client);
    const { rows } = await client.query<{ usable: boolean }>(`
      select exists (select 1 from pg_policies where policyname = 'one_company' and tablename = 'orders')
        and exists (select 1 from pg_roles where rolname = '${TENANT_ROLE}') as usable`);
    return {
      connection: working,
      barrier: rows[0]!.usable && !gaps.some(({ isFatal }) => isFatal),
      gaps: gaps.map(({ sentence }) => sentence),
    };
  });
}

async function asProgram(connection: ConnectionSettings): Promise<ConnectionSettings> {
  return connected(connection, async (client) => {
    if (!(await isElevated(client))) return connection;
    const { rows } = await client.query<{ rolcanlogin: boolean }>(
      `select rolcanlogin from pg_roles where rolname = '${PROGRAM_ROLE}'`,
    );
    if (rows.length === 0) return connection;
    if (isEmbedded(connection) && rows[0]!.rolcanlogin) return { ...connection, user: PROGRAM_ROLE };
    return withOption(connection, `-c role=${PROGRAM_ROLE}`);
  });
}

/** Adds to the options of the address, which `pg` prefers to those beside it. An address without options stays as it is written. */
function withOption(connection: ConnectionSettings, option: string): ConnectionSettings {
  const url = connection.connectionString === undefined ? null : new URL(connection.connectionString);
  const given = url?.searchParams.getAll('options').at(-1);
  if (url === null || given === undefined) return { ...connection, options: option };
  url.searchParams.delete('options');
  return { ...connection, connectionString: url.href, options: `${given} ${option}` };
}

async function connected<T>(connection: ConnectionSettings, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
