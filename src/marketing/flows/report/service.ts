import { fromMinor } from '../../../commerce/money.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import { notFound } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { requestIdOf } from '../../../lib/tracing/correlation.ts';
import type { VersionRow } from '../definition/versions.ts';
import * as versions from '../definition/versions.ts';
import {
  type BranchMetric,
  FLOW_METRICS,
  type FlowMetric,
  type LogEntry,
  messageKeys,
  STEP_METRICS,
} from '../engine/run.ts';
import { standingOf } from '../execution/tasks/moving.ts';
import type { FlowRow } from '../queries.ts';
import * as queries from '../queries.ts';
import type { FlowRecord } from '../schemas.ts';
import type { RunFilterStatus } from './contract.ts';
import * as reportQueries from './queries.ts';
import { findActivity, findFlowStats, findStepStats, type StatRow } from './stats.ts';

/** Reads of flows and their runs. */

/** Maximum flows of a list request without paging. */
const ALL = 1_000;

export async function listFlows(
  db: Queryable,
  companyId: number,
  filter: queries.FlowFilter,
  page: PageQuery,
): Promise<Page<FlowRecord>> {
  const asked = page.page !== undefined || page.per_page !== undefined;
  const { skip, take, ...shown } = pageOf({ per_page: asked ? 20 : ALL, ...page });
  const { rows, total } = await queries.listFlows(db, companyId, filter, { offset: skip, limit: take });
  return { rows: await recordsOf(db, companyId, rows), total, ...shown };
}

export async function recordsOf(db: Queryable, companyId: number, rows: queries.FlowRow[]): Promise<FlowRecord[]> {
  const ids = rows.map((row) => row.id);
  const stats = Map.groupBy(await findFlowStats(db, companyId, ids), (stat) => stat.flow_id);
  return rows.map((row) => flowRecord(row, stats.get(row.id) ?? []));
}

async function getFlow(db: Queryable, companyId: number, id: number): Promise<FlowRecord> {
  return (await recordsOf(db, companyId, [await requireFlow(db, companyId, id)]))[0]!;
}

export async function requireFlow(db: Queryable, companyId: number, id: number): Promise<queries.FlowRow> {
  const flow = await queries.findFlow(db, companyId, id);
  if (flow === undefined) throw notFound(`flow ${id}`);
  return flow;
}

async function listVersions(db: Queryable, companyId: number, id: number) {
  await requireFlow(db, companyId, id);
  return { versions: (await versions.listVersions(db, companyId, id)).map(versionRecord) };
}

async function getStats(db: Queryable, companyId: number, id: number) {
  const flow = await requireFlow(db, companyId, id);
  const [stats, activity, exponent] = await Promise.all([
    findStepStats(db, companyId, id),
    findActivity(db, companyId, id),
    queries.findExponent(db, companyId),
  ]);
  const stepIds = flow.definition.steps.map((step) => step.step_id);
  return { flow_id: id, totals: totalsOf(stats), steps: stepNumbers(stepIds, stats, activity, exponent) };
}

/** For each shown status of runs: the statuses in the database, and the metric that counts them. */
const COUNTED: Record<RunFilterStatus, { statuses: string[]; metric: FlowMetric }> = {
  active: { statuses: ['active', 'paused'], metric: 'active' },
  completed: { statuses: ['completed'], metric: 'completed' },
  exited: { statuses: ['exited'], metric: 'exited' },
  failed: { statuses: ['failed'], metric: 'failed' },
};

async function listRuns(
  db: Db,
  companyId: number,
  flowId: number,
  query: { status?: RunFilterStatus; contact_id?: number; before?: number; page?: number; per_page?: number },
): Promise<Page<ReturnType<typeof runRecord>>> {
  await requireFlow(db, companyId, flowId);
  const { status, contact_id: contactId = null, before = null, per_page: perPage = 20 } = query;
  const page = before === null ? (query.page ?? 1) : 1;
  const statuses = status === undefined ? null : COUNTED[status].statuses;
  const slice = { offset: (page - 1) * perPage, limit: perPage };
  const [rows, total] = await Promise.all([
    reportQueries.listRuns(db, companyId, flowId, { statuses, contactId, before }, slice),
    contactId === null
      ? countRuns(db, companyId, flowId, status)
      : reportQueries.countContactRuns(db, companyId, flowId, contactId, statuses),
  ]);
  return { rows: rows.map(runRecord), total, page, perPage };
}

/** The number of runs, from the flow's statistics, which are exact. */
async function countRuns(
  db: Queryable,
  companyId: number,
  flowId: number,
  status: RunFilterStatus | undefined,
): Promise<number> {
  const stats = await findFlowStats(db, companyId, [flowId]);
  const metric = status === undefined ? 'entered' : COUNTED[status].metric;
  // The statistics still include runs that were removed for their age.
  const removed = stats.filter(({ metric: counted }) =>
    status === undefined ? counted.startsWith('removed_') : counted === `removed_${metric}`,
  );
  return removed.reduce((left, { n }) => left - n, totalsOf(stats)[metric]);
}

export async function getRun(db: Queryable, companyId: number, id: number) {
  const row = await reportQueries.findRun(db, companyId, id);
  if (row === undefined) throw notFound(`run ${id}`);
  const log = await reportQueries.findLog(db, companyId, id);
  const lines = log.flatMap(({ at, entries }) => entries.map((entry) => ({ at: formatTimestamp(at), ...entry })));
  const { event, vars, ...run } = row;
  return {
    ...runRecord(run),
    event,
    vars,
    log: (await withUnsent(db, companyId, id, lines)).map(({ detail = null, ...line }) => ({ ...line, detail })),
  };
}

/** Shows the lines of messages that were skipped or failed later as such: a run only queues its messages. */
async function withUnsent<Line extends LogEntry>(db: Queryable, companyId: number, runId: number, lines: Line[]) {
  const keys = messageKeys(runId, lines);
  if (keys.size === 0) return lines;
  const unsent = await reportQueries.findUnsent(db, companyId, [...keys.values()]);
  const byKey = new Map(unsent.map((message) => [message.idem_key, message]));
  return lines.map((line) => {
    const message = byKey.get(keys.get(line) ?? '');
    if (message === undefined) return line;
    return { ...line, result: message.status, detail: message.reason ?? undefined };
  });
}

async function listNotifications(db: Queryable, companyId: number, query: PageQuery) {
  const { skip, take, ...shown } = pageOf({ per_page: 20, ...query });
  const slice = { offset: skip, limit: take };
  const { rows, total } = await reportQueries.listNotifications(db, companyId, slice);
  return { rows: rows.map((row) => ({ ...row, created_at: formatTimestamp(row.created_at) })), total, ...shown };
}

async function getMigration(db: Queryable, companyId: number, id: number) {
  const flow = await requireFlow(db, companyId, id);
  return { flow_id: id, version: flow.version, standing: await standingOf(db, companyId, flow) };
}

/** The read operations of the flows service, each in its lane. */
export function flowReads(db: Db) {
  return {
    listFlows: (companyId: number, filter: queries.FlowFilter, page: PageQuery) =>
      listFlows(db.lists(companyId), companyId, filter, page),
    getFlow: (companyId: number, id: number) => getFlow(db.points(companyId), companyId, id),
    listVersions: (companyId: number, id: number) => listVersions(db.lists(companyId), companyId, id),
    listRuns: (companyId: number, flowId: number, query: Parameters<typeof listRuns>[3]) =>
      listRuns(db.lists(companyId), companyId, flowId, query),
    getStats: (companyId: number, id: number) => getStats(db.lists(companyId), companyId, id),
    getMigration: (companyId: number, id: number) => getMigration(db.lists(companyId), companyId, id),
    getRun: (companyId: number, id: number) => getRun(db.points(companyId), companyId, id),
    listNotifications: (companyId: number, page: PageQuery) => listNotifications(db.lists(companyId), companyId, page),
  };
}

// Rows as the API shows them.

function flowRecord(row: FlowRow, stats: StatRow[]): FlowRecord {
  const { id, name, status, trigger_type, definition, version, revision, created_at, updated_at } = row;
  return {
    flow_id: id,
    name,
    status,
    trigger_type,
    ...definition,
    trigger_settings: definition.trigger_settings ?? null,
    version,
    revision,
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
    stats: totalsOf(stats.filter((stat) => stat.flow_id === id)),
  };
}

function versionRecord({ definition, created_at, ...row }: VersionRow) {
  const { trigger_settings = null } = definition;
  return { ...row, ...definition, trigger_settings, created_at: formatTimestamp(created_at) };
}

/** A flow's own statistics, 0 for metrics that were not counted. */
function totalsOf(stats: StatRow[]): Record<FlowMetric, number> {
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
  /** Minor units, like refunded. */
  revenue: number;
  refunded: number;
}

/**
 * The statistics of steps: first the given ones, then steps of earlier versions. `converted` counts goals that were reached and orders
 * that followed a message. `exponent` is that of the shop's currency.
 */
function stepNumbers(stepIds: string[], stats: StatRow[], activity: { key: string; n: number }[], exponent: number) {
  const byStep = Map.groupBy(
    stats.filter((stat) => stat.step_id !== ''),
    (stat) => stat.step_id,
  );
  const engagement = engagementByStep(activity);
  return [...new Set([...stepIds, ...byStep.keys()])].map((step_id) => {
    const own = byStep.get(step_id) ?? [];
    const numbers = numbersOf(STEP_METRICS, own);
    const { opened, clicked, converted, revenue, refunded } = engagement.get(step_id) ?? NO_ENGAGEMENT;
    return {
      step_id,
      ...numbers,
      branches: branchNumbers(own),
      converted: numbers.converted + converted,
      opened,
      clicked,
      revenue: fromMinor(revenue, exponent),
      refunded: fromMinor(refunded, exponent),
      net: fromMinor(revenue - refunded, exponent),
    };
  });
}

const NO_ENGAGEMENT: Engagement = { opened: 0, clicked: 0, converted: 0, revenue: 0, refunded: 0 };

function engagementByStep(activity: { key: string; n: number }[]): Map<string, Engagement> {
  const engagement = new Map<string, Engagement>();
  for (const { key, n } of activity) {
    const colon = key.indexOf(':');
    const [type, stepId] = [key.slice(0, colon), key.slice(colon + 1)];
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

function runRecord({ id, due_at, entered_at, ended_at, correlation, ...run }: reportQueries.ShownRun) {
  return {
    run_id: id,
    ...run,
    due_at: due_at && formatTimestamp(due_at),
    entered_at: formatTimestamp(entered_at),
    ended_at: ended_at && formatTimestamp(ended_at),
    request_id: requestIdOf(correlation),
  };
}
