import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Count } from '../engine/run.ts';

/** A change of a counter of a flow: of one of its steps, or with stepId '' of the flow itself. */
export interface FlowCount extends Count {
  flowId: number;
}

/** Sums changes of the same counter, and drops those that are 0. */
export function sumCounts(counts: Iterable<FlowCount>): FlowCount[] {
  const sums = new Map<string, FlowCount>();
  for (const count of counts) {
    const key = `${count.flowId} ${count.metric} ${count.stepId}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...count });
    else sum.n += count.n;
  }
  return [...sums.values()].filter((sum) => sum.n !== 0);
}

/** Inserts changes of counters as new rows, so that transactions do not wait for each other. */
export async function addCounts(tx: Tx, companyId: number, counts: FlowCount[]): Promise<void> {
  if (counts.length === 0) return;
  await tx.query(sql`
    insert into flow_stat_deltas (company_id, flow_id, step_id, metric, n)
    select ${companyId}, t.* from unnest(${counts.map((c) => c.flowId)}::bigint[], ${counts.map((c) => c.stepId)}::text[],
      ${counts.map((c) => c.metric)}::text[], ${counts.map((c) => c.n)}::bigint[]) as t`);
}

/** Counts sent messages of flows; ignores other origins. */
export async function countSent(tx: Tx, companyId: number, origins: readonly MessageOrigin[]): Promise<void> {
  const counts = origins.flatMap((origin): FlowCount[] => {
    if (origin.kind !== 'flow') return [];
    const { flowId, stepId } = origin;
    return [
      { flowId, stepId: '', metric: 'sent', n: 1 },
      { flowId, stepId, metric: 'sent', n: 1 },
    ];
  });
  await addCounts(tx, companyId, sumCounts(counts));
}

/** The origin of a message, with the fields that flows need. */
type MessageOrigin = { kind: 'flow'; flowId: number; stepId: string } | { kind: 'campaign' | 'system' };

export interface StatRow {
  flow_id: number;
  step_id: string;
  metric: string;
  n: number;
}

/** The exact counters: folded and unfolded ones in one snapshot. With stepId '', only those of the flows themselves. */
export async function readStats(
  db: Queryable,
  companyId: number,
  flowIds: number[],
  stepId: string | null,
): Promise<StatRow[]> {
  return db.query<StatRow>(sql`
    select flow_id, step_id, metric, sum(n)::bigint as n from (
      select flow_id, step_id, metric, n from flow_stats
      where company_id = ${companyId} and flow_id = any(${flowIds}::bigint[])
        and (${stepId}::text is null or step_id = ${stepId})
      union all
      select flow_id, step_id, metric, n from flow_stat_deltas
      where company_id = ${companyId} and flow_id = any(${flowIds}::bigint[])
        and (${stepId}::text is null or step_id = ${stepId})
    ) both_kinds
    group by flow_id, step_id, metric`);
}

/** Opens, clicks, conversions and revenue of a flow's messages, by `type:step`; revenue in minor units. */
export async function readActivity(
  db: Queryable,
  companyId: number,
  flowId: number,
): Promise<{ facet: string; n: number }[]> {
  const list = `flow-activity:${flowId}`;
  return db.query(sql`
    select facet, sum(n)::bigint as n from (
      select facet, n from list_counts where company_id = ${companyId} and list = ${list}
      union all
      select facet, n from list_count_deltas where company_id = ${companyId} and list = ${list}
    ) both_kinds
    group by facet`);
}

/** Folds at most `limit` deltas of all companies; returns their number. */
export async function foldStats(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query<{ folded: number }>(sql`select fold_flow_stats(${limit}) as folded`);
  return rows[0]!.folded;
}
