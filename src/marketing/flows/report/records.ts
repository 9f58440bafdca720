import { fromMinor } from '../../../commerce/money.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { requestIdOf } from '../../../lib/tracing/correlation.ts';
import type { VersionRow } from '../definition/versions.ts';
import { type BranchMetric, FLOW_METRICS, type FlowMetric, STEP_METRICS } from '../engine/run.ts';
import type { FlowRow } from '../queries.ts';
import type { FlowRecord } from '../schemas.ts';
import type * as reportQueries from './queries.ts';
import type { StatRow } from './stats.ts';

/** Rows as the API shows them. */

export function flowRecord(row: FlowRow, stats: StatRow[]): FlowRecord {
  const { id, name, status, trigger_type, definition, version, revision, created_at, updated_at } = row;
  return {
    flow_id: id,
    name,
    status,
    trigger_type,
    ...definition,
    version,
    revision,
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
    stats: totalsOf(stats.filter((stat) => stat.flow_id === id)),
  };
}

export function versionRecord({ definition, created_at, ...row }: VersionRow) {
  return { ...row, ...definition, created_at: formatTimestamp(created_at) };
}

/** A flow's own statistics, 0 for metrics that were not counted. */
export function totalsOf(stats: StatRow[]): Record<FlowMetric, number> {
  return numbersOf(
    FLOW_METRICS,
    stats.filter((stat) => stat.step_id === ''),
  );
}

/** Of a step's messages: unique opens and clicks, orders that followed, and their revenue. */
interface Engagement {
  opened: number;
  clicked: number;
  converted: number;
  /** Minor units. */
  revenue: number;
}

/**
 * The statistics of steps: first the given ones, then steps of earlier versions. `converted` counts goals that were reached and orders
 * that followed a message. `exponent` is that of the shop's currency.
 */
export function stepNumbers(
  stepIds: string[],
  stats: StatRow[],
  activity: { facet: string; n: number }[],
  exponent: number,
) {
  const byStep = Map.groupBy(
    stats.filter((stat) => stat.step_id !== ''),
    (stat) => stat.step_id,
  );
  const engagement = engagementByStep(activity);
  return [...new Set([...stepIds, ...byStep.keys()])].map((step_id) => {
    const own = byStep.get(step_id) ?? [];
    const numbers = numbersOf(STEP_METRICS, own);
    const { opened, clicked, converted, revenue } = engagement.get(step_id) ?? NO_ENGAGEMENT;
    return {
      step_id,
      ...numbers,
      branches: branchNumbers(own),
      converted: numbers.converted + converted,
      opened,
      clicked,
      revenue: fromMinor(revenue, exponent),
    };
  });
}

const NO_ENGAGEMENT: Engagement = { opened: 0, clicked: 0, converted: 0, revenue: 0 };

function engagementByStep(activity: { facet: string; n: number }[]): Map<string, Engagement> {
  const engagement = new Map<string, Engagement>();
  for (const { facet, n } of activity) {
    const colon = facet.indexOf(':');
    const [type, stepId] = [facet.slice(0, colon), facet.slice(colon + 1)];
    if (!(type in NO_ENGAGEMENT)) continue;
    engagement.set(stepId, { ...(engagement.get(stepId) ?? NO_ENGAGEMENT), [type]: n });
  }
  return engagement;
}

const BY_BRANCH: BranchMetric = 'passed:';

function branchNumbers(stats: StatRow[]): { branch: string; passed: number }[] {
  return stats
    .filter(({ metric, n }) => metric.startsWith(BY_BRANCH) && n > 0)
    .map(({ metric, n }) => ({ branch: metric.slice(BY_BRANCH.length), passed: n }))
    .sort((a, b) => (a.branch < b.branch ? -1 : 1));
}

function numbersOf<M extends string>(metrics: readonly M[], stats: StatRow[]): Record<M, number> {
  const numbers = Object.fromEntries(metrics.map((metric) => [metric, 0])) as Record<M, number>;
  for (const { metric, n } of stats) if (metric in numbers) numbers[metric as M] += n;
  return numbers;
}

export function runRecord({ id, due_at, entered_at, ended_at, correlation, ...run }: reportQueries.ShownRun) {
  return {
    run_id: id,
    ...run,
    due_at: due_at && formatTimestamp(due_at),
    entered_at: formatTimestamp(entered_at),
    ended_at: ended_at && formatTimestamp(ended_at),
    request_id: requestIdOf(correlation),
  };
}
