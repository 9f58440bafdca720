import { rawSql, sql } from '../sql.ts';
import { isFromServer } from '../unavailable.ts';
import { type ConnectionOptions, LaneConnection } from './connection.ts';

/** How long an examination may take. */
const LIMIT_MS = 2_500;
/** Of other sessions of the login alone, the server says what they do. */
const AS_LOGIN = rawSql('set role none');

/**
 * Returns those of the connections, by their process of the server, that have gone silent: on a fresh connection the server says that it has
 * nothing to do for them any more, or no fresh one can be opened.
 */
export async function findSilent(
  suspects: ReadonlyMap<number, LaneConnection>,
  options: ConnectionOptions,
): Promise<LaneConnection[]> {
  const received = new Map([...suspects].map(([pid, one]) => [pid, one.received()]));
  const fresh = new LaneConnection(options);
  const limit = setTimeout(() => fresh.destroy('The database did not respond'), LIMIT_MS);
  const working = new Set<number>();
  try {
    await fresh.ready();
    await fresh.query(AS_LOGIN);
    const rows = await fresh.query<{ pid: number }>(sql`
      select pid from pg_stat_activity where pid = any(${[...suspects.keys()]}::int[])
        and (state is null or state in ('active', 'fastpath function call', 'disabled'))`);
    for (const { pid } of rows) working.add(pid);
  } catch (error) {
    // It responds, but has no connection left.
    if (isFromServer(error)) return [];
  } finally {
    clearTimeout(limit);
    void fresh.close();
  }
  const silent = [...suspects].filter(([pid, one]) => !working.has(pid) && one.received() === received.get(pid));
  return silent.map(([, one]) => one);
}
