import type pg from 'pg';
import { processorTimeOf } from '../load/process-usage.ts';
import type { Copied } from './copy.ts';

export type Phase = 'copy' | 'index' | 'check' | 'totals' | 'vacuum';

/** Runs a task on a table that returns its number of rows; adds up the cost by phase and table. */
export type Measure = (table: string, work: () => Promise<number | Copied>, phase?: Phase) => Promise<void>;

export interface TableFigure {
  phase: Phase;
  table: string;
  rows: number;
  seconds: number;
  /** Seconds spent generating rows. */
  generator: number;
  /** Seconds of processor time of the connection's PostgreSQL process, which other work hardly affects. */
  database: number;
}

export type MeasureOn = (client: pg.ClientBase) => Promise<Measure>;

/** For several connections at once; each has a measure of its own. */
export function createMeasure(): { measureOn: MeasureOn; figures: Map<string, TableFigure> } {
  const figures = new Map<string, TableFigure>();
  const measureOn: MeasureOn = async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = rows[0]!;
    return async (table, work, phase = 'copy') => {
      const key = `${phase} ${table}`;
      const figure = figures.get(key) ?? { phase, table, rows: 0, seconds: 0, generator: 0, database: 0 };
      figures.set(key, figure);
      const [began, used] = [performance.now(), await processorTimeOf(pid)];
      const result = await work();
      const copied = typeof result === 'number' ? { rows: result, generator: 0 } : result;
      figure.rows += copied.rows;
      figure.generator += copied.generator;
      figure.seconds += (performance.now() - began) / 1_000;
      figure.database += ((await processorTimeOf(pid)) - used) / 1e6;
    };
  };
  return { measureOn, figures };
}

/** The sums of each phase. */
export function phasesOf(figures: Iterable<TableFigure>): TableFigure[] {
  const phases = new Map<Phase, TableFigure>();
  for (const { phase, seconds, generator, database } of figures) {
    const sum = phases.get(phase) ?? { phase, table: 'in all', rows: 0, seconds: 0, generator: 0, database: 0 };
    phases.set(phase, sum);
    sum.seconds += seconds;
    sum.generator += generator;
    sum.database += database;
  }
  return [...phases.values()];
}
