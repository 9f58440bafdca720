import { isDeepStrictEqual } from 'node:util';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import { validationFailed } from '../../../errors.ts';
import type * as queries from '../queries.ts';
import { checkGraph } from './check.ts';
import type { Definition } from './definition.ts';
import { compileGraph, type Graph } from './graph.ts';
import type { Step } from './steps.ts';
import { checkTrigger } from './trigger.ts';

/** Maximum number of graphs in memory, over all companies. */
const MAX_GRAPHS = 2_000;

/** Keyed by `flow:version`. */
type GraphsByVersion = Map<string, Graph>;

/** Reads versions as this transaction sees them. Not cached: the transaction may still roll back a version that it wrote. */
export async function readGraphs(
  db: Queryable,
  companyId: number,
  pairs: { flowId: number; version: number }[],
): Promise<GraphsByVersion> {
  const rows = await findVersions(db, companyId, pairs);
  return new Map(rows.map((row) => [`${row.flow_id}:${row.version}`, compileGraph(row.definition)]));
}

/**
 * The graphs of runs, cached in memory. Only for committed versions: those never change, so the cache is never
 * invalidated.
 */
export type Graphs = typeof readGraphs;

export function createGraphs(): Graphs {
  const kept = new Map<string, Graph>();

  return async (db, companyId, pairs) => {
    const found: GraphsByVersion = new Map();
    const missing = new Map<string, { flowId: number; version: number }>();
    for (const pair of pairs) {
      const key = `${pair.flowId}:${pair.version}`;
      const graph = kept.get(`${companyId}:${key}`);
      if (graph === undefined) missing.set(key, pair);
      else found.set(key, graph);
    }
    if (missing.size === 0) return found;
    for (const [key, graph] of await readGraphs(db, companyId, [...missing.values()])) {
      if (kept.size >= MAX_GRAPHS) kept.delete(kept.keys().next().value!);
      kept.set(`${companyId}:${key}`, graph);
      found.set(key, graph);
    }
    return found;
  };
}

/** The steps at which a run may change versions: those in both, with the same type and the same awaited event type. */
export function sharedSteps(from: Graph, to: Graph): string[] {
  const awaited = (step: Step | undefined) => (step?.type === 'wait_for_event' ? step.config.event_type : null);
  return [...from.steps.values()]
    .filter((step) => {
      const other = to.steps.get(step.step_id);
      return other?.type === step.type && awaited(other) === awaited(step);
    })
    .map((step) => step.step_id);
}

/**
 * Freezes the flow's definition as its next version, unless it equals the newest. Throws `validation_failed` for an
 * invalid graph.
 * @returns the flow with its version
 */
export async function freeze(tx: Tx, companyId: number, flow: queries.FlowRow, now: Date): Promise<queries.FlowRow> {
  const errors = [
    ...checkTrigger(flow.trigger_type, flow.definition.trigger_settings ?? null),
    ...checkGraph(flow.definition),
  ];
  if (errors.length > 0) throw validationFailed(errors);
  const [newest] = await findVersions(tx, companyId, [{ flowId: flow.id, version: flow.version }]);
  const { name, trigger_type, definition } = flow;
  const known = newest && { name: newest.name, trigger_type: newest.trigger_type, definition: newest.definition };
  if (isDeepStrictEqual(known, { name, trigger_type, definition })) return flow;
  const version = flow.version + 1;
  const { listens, awaits } = compileGraph(definition);
  await insertVersion(tx, companyId, {
    flow_id: flow.id,
    version,
    name,
    trigger_type,
    definition,
    listens,
    awaits,
    created_at: now,
  });
  return { ...flow, version };
}

export interface VersionRow {
  flow_id: number;
  version: number;
  name: string;
  trigger_type: string;
  definition: Definition;
  created_at: Date;
}

async function insertVersion(
  tx: Tx,
  companyId: number,
  version: VersionRow & { listens: readonly string[]; awaits: readonly string[] },
): Promise<void> {
  await tx.query(sql`
    insert into flow_versions (company_id, flow_id, version, name, trigger_type, definition, listens, awaits, created_at)
    values (${companyId}, ${version.flow_id}, ${version.version}, ${version.name}, ${version.trigger_type},
      ${version.definition}, ${version.listens}, ${version.awaits}, ${version.created_at})`);
}

async function findVersions(
  db: Queryable,
  companyId: number,
  pairs: { flowId: number; version: number }[],
): Promise<VersionRow[]> {
  return db.query<VersionRow>(sql`
    select v.flow_id, v.version, v.name, v.trigger_type, v.definition, v.created_at
    from unnest(${pairs.map((p) => p.flowId)}::bigint[], ${pairs.map((p) => p.version)}::int[]) as p (flow_id, version)
    join flow_versions v on v.company_id = ${companyId} and v.flow_id = p.flow_id and v.version = p.version`);
}

/** The flow's versions, the newest first. */
export async function listVersions(db: Queryable, companyId: number, flowId: number): Promise<VersionRow[]> {
  return db.query<VersionRow>(sql`
    select flow_id, version, name, trigger_type, definition, created_at from flow_versions
    where company_id = ${companyId} and flow_id = ${flowId} order by version desc`);
}
