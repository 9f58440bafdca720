import type { Queryable, Tx } from '../../../../db/pool.ts';
import type { Graph } from '../../definition/graph.ts';
import { readGraphs, sharedSteps } from '../../definition/versions.ts';
import { relocate } from '../../engine/engine.ts';
import { addCounts, sumCounts } from '../../report/stats.ts';
import { updateRuns, writeLog } from '../run-queries.ts';
import { runOf, updateOf } from '../run-transitions.ts';
import * as queries from './moving-queries.ts';
import type { Move, Task, Walk } from './queries.ts';

export type { Move } from './queries.ts';

/** Live runs of older versions by version and current step, and whether the newest version has the step. */
export interface Standing {
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
  const rows = await queries.countStanding(db, companyId, flow.id, flow.version);
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
  const window = await queries.findWindow(tx, companyId, flow.id, begun.position, limit);
  const { wanted, destinationOf, graphOf, target } = await planOf(tx, companyId, flow, moves, window);
  const rows = wanted.length === 0 ? [] : await queries.claimPlaces(tx, companyId, flow.id, wanted);
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
    await queries.setVersion(tx, companyId, ids, { version, listens: [...target!.listens] });
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
  window: queries.Place[],
) {
  const others = window.filter(({ version }) => version !== flow.version);
  const versions = others.length === 0 ? [] : [...new Set([flow.version, ...others.map(({ version }) => version)])];
  const { target, graphOf, fitting } = await graphsOf(tx, companyId, flow, versions);
  const destinations = new Map(
    moves.filter(({ to }) => to === null || target?.steps.has(to)).map(({ step_id, to }) => [step_id, to]),
  );
  const fits = ({ version, step_id }: Omit<queries.Place, 'id'>): boolean =>
    step_id === null || (fitting.get(version)?.has(step_id) ?? false);
  const destinationOf = (place: Omit<queries.Place, 'id'>): string | null | undefined =>
    fits(place) ? undefined : destinations.get(place.step_id!);
  const wanted = target === undefined ? [] : others.filter((one) => fits(one) || destinations.has(one.step_id!));
  return { wanted, destinationOf, graphOf, target };
}
