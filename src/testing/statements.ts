import pg from 'pg';
import { PipelinedTurn } from '../db/wire/pipelined.ts';

export interface SentStatement {
  text: string;
  values: unknown[];
  /** The turn in which it was sent: a turn begins when none of the recorded work is in flight. */
  turn: number;
}

/**
 * Checks of idle connections, the poll of the companies' versions with the hosts that are read again after it, and the request log, written
 * a second later.
 */
const BESIDE_EVERYTHING =
  /^$|pg_snapshot_xmin|^select company_id, host, active from tracking_hosts where|\bapi_requests\b/;

/**
 * Records every statement that the process sends to the database while `work` runs, which may read `sent` meanwhile.
 * Leaves out what runs independently of the work: whether it falls into this time is chance.
 */
export async function recordStatements(
  work: () => Promise<unknown>,
  sent: SentStatement[] = [],
): Promise<SentStatement[]> {
  let onTheirWay = 0;
  let turn = 0;
  const original = pg.Client.prototype.query;
  const recording = function (this: pg.Client, ...args: unknown[]): unknown {
    const [query] = args;
    const own =
      query instanceof PipelinedTurn ? query.statements.filter(({ text }) => !BESIDE_EVERYTHING.test(text)) : [];
    if (query instanceof PipelinedTurn && own.length > 0) {
      if (onTheirWay === 0) turn++;
      onTheirWay++;
      for (const { text, values } of own) sent.push({ text, values, turn });
      query.once('end', () => {
        onTheirWay--;
      });
    }
    return (original as (...all: unknown[]) => unknown).apply(this, args);
  };
  pg.Client.prototype.query = recording as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent;
}

/** A node of a plan as `explain (analyze, format json)` returns it, with its children. */
export interface MeasuredPlan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  /** Of an index-only scan: rows that it read from the table nevertheless. */
  'Heap Fetches'?: number;
  Plans?: MeasuredPlan[];
}

/** Executes a statement and returns its plan. */
export async function measuredPlan(
  rows: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>,
  { text, values }: Pick<SentStatement, 'text' | 'values'>,
): Promise<MeasuredPlan> {
  const [row] = await rows<{ 'QUERY PLAN': [{ Plan: MeasuredPlan }] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  return row!['QUERY PLAN'][0].Plan;
}

export function nodesOf(plan: MeasuredPlan): MeasuredPlan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Returns how many rows a plan read from the table itself: index-only scans read none of a vacuumed table. */
export function rowsFetched(plan: MeasuredPlan, table: string): number {
  return nodesOf(plan)
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + (node['Heap Fetches'] ?? rowsOf(node)), 0);
}

/** Returns how many rows of the table a plan examined, including those filtered out. */
export function rowsRead(plan: MeasuredPlan, table: string): number {
  return nodesOf(plan)
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + rowsOf(node), 0);
}

/** Returns how many rows the node itself examined. */
export function rowsOf(node: MeasuredPlan): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}
