import pg from 'pg';
import { MOST_CONNECTIONS } from './lanes.ts';

export type Role = keyof typeof MOST_CONNECTIONS;

/** How a process names its connections: what it does, and its number on its machine. The lane follows. */
export function applicationName(role: Role, pid: number): string {
  return `tradeloom ${role} ${pid}`;
}

export interface Budget {
  processes: number;
  /** What these processes may open together. */
  most: number;
  /** What the server leaves to users without privileges. */
  allowed: number;
}

/** Compares what all processes on this server may open, those of this database user, with what the server allows. */
export async function connectionBudget(connection: pg.ClientConfig): Promise<Budget> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ role: Role }>(`
      select distinct split_part(application_name, ' ', 2) as role, split_part(application_name, ' ', 3) as pid, client_addr
      from pg_stat_activity where application_name ~ '^tradeloom (all|api|worker) [0-9]+ '`);
    const { rows: limits } = await client.query<{ allowed: number }>(`
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed`);
    const most = rows.reduce((sum, { role }) => sum + MOST_CONNECTIONS[role], 0);
    return { processes: rows.length, most, allowed: limits[0]!.allowed };
  } finally {
    await client.end();
  }
}
