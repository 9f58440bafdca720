import type { Queryable, Tx } from '../../../../db/pool.ts';
import { sql } from '../../../../db/sql.ts';
import type { Graph } from '../../definition/graph.ts';
import { readGraphs, sharedSteps } from '../../definition/versions.ts';
import { relocate } from '../../engine/engine.ts';
import { addCounts, sumCounts } from '../../report/stats.ts';
import { type RunRow, updateRuns, writeLog } from '../queries.ts';
import { runOf, updateOf } from '../run-transitions.ts';
import { eachLive, type Move, type Task, type Walk } from './queries.ts';

export type { Move } from './queries.ts';

/** Live runs of older versions by version and current step, and whether the newest version has the step. */
interface Standing {
  version: number;
  step_id: string | null;
  runs: number;
  fits: boolean;
}

/** Versions of a flow, compiled, and the steps that the older ones share with the newest. */
async function graphsOf(
  db: Queryable,
  companyId: number,
  flow: { id: number; version: number },
  versions: readonly number[],
) {
  const pairs = versions.map((version) => ({ flowId: flow.id, version }));
  const graphs = pairs.length === 0 ? new Map<string, Graph>() : await readGraphs(db, companyId, pairs);
  const graphOf = (version: number): Graph | undefined => graphs.get(`${flow.id}:${version}`);
  const target = graphOf(flow.version);
  const fitting = new Map(
    versions.flatMap((version) => {
      const graph = graphOf(version);
      if (target === undefined || graph === undefined) return [];
      return [[version, new Set(sharedSteps(graph, target))] as const];
    }),
  );
  return { target, graphOf, fitting };
}

export async function standingOf(
  db: Queryable,
  companyId: number,
  flow: { id: number; version: number },
): Promise<Standing[]> {
  const rows = await countStanding(db, companyId, flow.id, flow.version);
  const versions = [...new Set([flow.version, ...rows.map(({ version }) => version)])];
  const { fitting } = await graphsOf(db, companyId, flow, versions);
  return rows.map((row) => {
    const fits = row.step_id === null || (fitting.get(row.version)?.has(row.step_id) ?? false);
    return { ...row, fits };
  });
}

/**
 * Migrates the runs of other versions among the next `limit` live runs. A run keeps its step if the newest version has it; otherwise
 * `moves` decides. Runs without a destination in the newest version are left unchanged.
 */
export async function migratePiece(
  tx: Tx,
  companyId: number,
  flow: { id: number; version: number },
  { moves, walk }: Pick<Task, 'moves' | 'walk'>,
  { now, limit }: { now: Date; limit: number },
): Promise<{ done: number; more: boolean; walk: Walk }> {
  const { version } = flow;
  const begun = walk?.version === version ? walk : { version, position: 0, held: null };
  const window = await findWindow(tx, companyId, flow.id, begun.position, limit);
  const { wanted, destinationOf, graphOf, target } = await planOf(tx, companyId, flow, moves, window);
  const rows = wanted.length === 0 ? [] : await claimPlaces(tx, companyId, flow.id, wanted);
  const relocated = rows.flatMap((row) => {
    const to = destinationOf(row);
    if (to === undefined) return [];
    const from = graphOf(row.version)!.steps.get(row.step_id!)!;
    return { row, outcome: relocate(target!, runOf(row), from, to, now) };
  });
  const updates = relocated.map(({ row, outcome }) => updateOf(row, outcome));
  if (updates.length > 0) await updateRuns(tx, companyId, updates, now);
  if (rows.length > 0) {
    const ids = rows.map(({ id }) => id);
    await setVersion(tx, companyId, ids, { version, listens: [...target!.listens] });
  }
  if (updates.length > 0) {
    await writeLog(tx, companyId, updates, now);
    const counts = relocated.flatMap(({ outcome }) => outcome.counts.map((one) => ({ ...one, flowId: flow.id })));
    await addCounts(tx, companyId, sumCounts(counts));
  }
  const claimed = new Set(rows.map(({ id }) => id));
  const held = begun.held ?? wanted.find(({ id }) => !claimed.has(id))?.id ?? null;
  if (window.length === limit)
    return { done: rows.length, more: true, walk: { version, position: window.at(-1)!.id, held } };
  // After the last run: return to the first one that was skipped.
  const back = { version, position: (held ?? 1) - 1, held: null };
  return { done: rows.length, more: held !== null, walk: back };
}

/** Which of the runs change, and the destinations of those that cannot keep their step (undefined: they keep it). */
async function planOf(
  tx: Tx,
  companyId: number,
  flow: { id: number; version: number },
  moves: readonly Move[],
  window: Place[],
) {
  const others = window.filter(({ version }) => version !== flow.version);
  const versions = others.length === 0 ? [] : [...new Set([flow.version, ...others.map(({ version }) => version)])];
  const { target, graphOf, fitting } = await graphsOf(tx, companyId, flow, versions);
  const destinations = new Map(
    moves.filter(({ to }) => to === null || target?.steps.has(to)).map(({ step_id, to }) => [step_id, to]),
  );
  const fits = ({ version, step_id }: Omit<Place, 'id'>): boolean =>
    step_id === null || (fitting.get(version)?.has(step_id) ?? false);
  const destinationOf = (place: Omit<Place, 'id'>): string | null | undefined =>
    fits(place) ? undefined : destinations.get(place.step_id!);
  const wanted = target === undefined ? [] : others.filter((one) => fits(one) || destinations.has(one.step_id!));
  return { wanted, destinationOf, graphOf, target };
}

/** Live runs of other versions by version and current step; step_id is null before the first step. */
function countStanding(
  db: Queryable,
  companyId: number,
  flowId: number,
  version: number,
): Promise<{ version: number; step_id: string | null; runs: number }[]> {
  return db.query(sql`
    select version, step_id, count(*) as runs from flow_runs
    where company_id = ${companyId} and flow_id = ${flowId} and status in ('active', 'paused')
      and version <> ${version}
    group by version, step_id order by version desc, step_id`);
}

interface Place {
  id: number;
  version: number;
  /** Null before the first step. */
  step_id: string | null;
}

/** The next live runs of the flow after `position`, of any version, so that every piece reads the same number of rows. */
function findWindow(tx: Tx, companyId: number, flowId: number, position: number, limit: number): Promise<Place[]> {
  return tx.query<Place>(sql`
    select id, version, step_id from (${eachLive(
      (status) => sql`
      select id, version, step_id from flow_runs
      where company_id = ${companyId} and flow_id = ${flowId} and status = ${status} and id > ${position}
      order by id limit ${limit}`,
    )}) live
    order by id limit ${limit}`);
}

/** Locks those of the runs that are still at their places, skipping those that a worker has locked. */
function claimPlaces(tx: Tx, companyId: number, flowId: number, places: Place[]): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select r.id, r.flow_id, r.version, r.contact_id, r.status, r.step_id, r.outcome, r.step_entered_at, r.due_at,
      r.awaits, r.listens, r.event, r.state, r.seq, r.entered_at
    from flow_runs r
    join unnest(${places.map(({ id }) => id)}::bigint[], ${places.map(({ version }) => version)}::int[],
      ${places.map(({ step_id }) => step_id)}::text[]) as p (id, version, step_id)
      on p.id = r.id and p.version = r.version and p.step_id is not distinct from r.step_id
    where r.company_id = ${companyId} and r.flow_id = ${flowId} and r.status in ('active', 'paused')
    order by r.id for update of r skip locked`);
}

async function setVersion(
  tx: Tx,
  companyId: number,
  ids: number[],
  to: { version: number; listens: string[] },
): Promise<void> {
  await tx.query(sql`
    update flow_runs set version = ${to.version}, listens = ${to.listens}
    where company_id = ${companyId} and id = any(${ids}::bigint[])`);
}
