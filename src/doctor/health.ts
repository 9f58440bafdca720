import { systemClock } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import { findInstallation } from '../installation.ts';
import type { Finding } from '../invariants.ts';
import { finding, inGeneral } from './checks.ts';
import { findMissingMonths, findOverdue, findTableSizes, type TableSize } from './health-queries.ts';

/** Checks that maintenance keeps up, by the program's clock. */

/** The worker always creates partitions for this many months of events in advance. */
const MONTHS_AHEAD = 2;
/** Work that has been due for longer than this is not merely queued. */
const OVERDUE_MS = 10 * 60_000;
/** A table with more dead rows than this, and more of them than live ones, is not being vacuumed. */
const MANY_DEAD = 1_000_000;

export async function health(db: Db, at?: Date): Promise<Finding[]> {
  const now = at ?? (await programsTime(db));
  const months = await findMissingMonths(db, now, MONTHS_AHEAD);
  const overdue = await findOverdue(db, new Date(now.getTime() - OVERDUE_MS));
  const bloated = (await findTableSizes(db)).filter(({ rows, dead_rows }) => dead_rows > MANY_DEAD && dead_rows > rows);
  return [
    note(
      'partitions',
      'The coming months of events have partitions',
      months.map((month) => inGeneral(`events of ${month}`)),
      'Is a worker running (tradeloom start --role worker)? It makes them each hour; until then events are stored in events_default',
    ),
    note(
      'overdue',
      'Work that is due is done within ten minutes',
      overdue.map(({ company_id, kind, since }) => ({
        company_id,
        subject: `${kind}, due since ${since.toISOString()}`,
      })),
      'Is a worker running (tradeloom start --role worker)? Is sending held (tradeloom sending status)? Its log names errors',
    ),
    finding(
      'vacuum',
      'Space of removed rows is made reusable',
      bloated.map(({ table, dead_rows }) => inGeneral(`${table} has ${dead_rows} dead rows`)),
      'Look for transactions that have been open for long (pg_stat_activity) and for autovacuum = off; then VACUUM the table',
    ),
  ];
}

async function programsTime(db: Db): Promise<Date> {
  const { clock_offset_ms: ahead } = await findInstallation(db);
  return new Date(systemClock.now().getTime() + ahead);
}

const EXAMPLES = 10;

/** A finding that is reported but is not a violation: it is normal while no worker runs. */
function note(id: string, promise: string, examples: Finding['examples'], fix: string): Finding {
  const found = examples.length > 0;
  return { id, promise, ok: true, violations: 0, examples: examples.slice(0, EXAMPLES), fix: found ? fix : null };
}

export function describeTable({ table, bytes, rows }: TableSize): string {
  return `size  ${table}: ${inUnits(bytes)}, about ${rows} rows`;
}

function inUnits(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = bytes / 1_024;
  let unit = 0;
  while (size >= 1_024 && unit < units.length - 1) {
    size /= 1_024;
    unit++;
  }
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}
