import type pg from 'pg';
import { databaseTimeOf, processorTimeOf } from '../load/process-usage.ts';

/** Runs a piece of work on a table that gives its number of rows; what it took is added up by table. */
export type Measure = (table: string, work: () => Promise<number>) => Promise<void>;

export interface TableFigure {
  table: string;
  rows: number;
  seconds: number;
  /** Seconds of processor time, of the generator and of PostgreSQL: what others do at the time changes them little. */
  generator: number;
  database: number;
}

export function createMeasure(client: pg.Client): { measure: Measure; figures: Map<string, TableFigure> } {
  const figures = new Map<string, TableFigure>();
  const usage = async () => ({
    seconds: performance.now() / 1_000,
    generator: (await processorTimeOf(process.pid)) / 1e6,
    database: (await databaseTimeOf(client)) / 1e6,
  });
  return {
    figures,
    async measure(table, work) {
      const figure = figures.get(table) ?? { table, rows: 0, seconds: 0, generator: 0, database: 0 };
      figures.set(table, figure);
      const before = await usage();
      figure.rows += await work();
      const after = await usage();
      for (const part of ['seconds', 'generator', 'database'] as const) figure[part] += after[part] - before[part];
    },
  };
}
