import type { OwnSessionRow } from '../../access/session-queries.ts';
import type { OwnSession } from './contract.ts';

/** Returns sessions as shown to the user of the session `current`. */
export function sessionRecords(rows: OwnSessionRow[], current: number): OwnSession[] {
  return rows.map(({ created_at, last_seen_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    current: row.id === current,
  }));
}
