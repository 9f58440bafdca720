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

/** The counter of a step, or with stepId '' of the flow itself; its keys are metrics. */
const counterOf = (flowId: number, stepId: string): string => `flow:${flowId}:${stepId}`;

/** Appends changes of counters, so that transactions do not wait for each other. */
export async function addCounts(tx: Tx, companyId: number, counts: FlowCount[]): Promise<void> {
  if (counts.length === 0) return;
  await tx.query(sql`
    insert into counter_deltas (company_id, counter, key, n)
    select ${companyId}, t.* from unnest(${counts.map((c) => counterOf(c.flowId, c.stepId))}::text[],
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

/** The figures of flows themselves. */
export function findFlowStats(db: Queryable, companyId: number, flowIds: number[]): Promise<StatRow[]> {
  const counters = flowIds.map((id) => counterOf(id, ''));
  return db.query<StatRow>(sql`
    select split_part(counter, ':', 2)::bigint as flow_id, '' as step_id, key as metric, sum(n)::bigint as n from counters
    where company_id = ${companyId} and counter = any(${counters}::text[]) group by counter, key`);
}

/** The figures of a flow and its steps. */
export function findStepStats(db: Queryable, companyId: number, flowId: number): Promise<StatRow[]> {
  const prefix = counterOf(flowId, '');
  return db.query<StatRow>(sql`
    select ${flowId}::bigint as flow_id, substr(counter, ${prefix.length + 1}::int) as step_id, key as metric, sum(n)::bigint as n
    from counters where company_id = ${companyId} and counter >= ${prefix} and counter < ${`flow:${flowId};`}
    group by counter, key`);
}

/** Opens, clicks, conversions and revenue of a flow's messages, by `type:step`; revenue in minor units. */
export function findActivity(db: Queryable, companyId: number, flowId: number): Promise<{ key: string; n: number }[]> {
  return db.query(sql`
    select key, sum(n)::bigint as n from counters
    where company_id = ${companyId} and counter = ${`flow-activity:${flowId}`} group by key`);
}
