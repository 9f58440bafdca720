import { Counter, Gauge, type Registry } from 'prom-client';
import type { LaneFigures } from '../../db/lanes/lane.ts';
import type { Db } from '../../db/pool.ts';

type Figure = (figures: LaneFigures) => number;

const GAUGES: [name: string, help: string, figure: Figure][] = [
  ['tradeloom_database_connections', 'Open connections to the database', (lane) => lane.connections],
  ['tradeloom_database_connections_busy', 'Connections to the database that have work', (lane) => lane.busy],
  ['tradeloom_database_connections_max', 'Connections to the database at most', (lane) => lane.most],
  ['tradeloom_database_waiting', 'Jobs that wait for a connection to the database', (lane) => lane.waiting],
];

const COUNTERS: [name: string, help: string, figure: Figure][] = [
  ['tradeloom_database_jobs_total', 'Statements and transactions that had a connection', (lane) => lane.jobs],
  ['tradeloom_database_job_seconds_total', 'How long they had it, in sum', (lane) => lane.busyMs / 1_000],
  ['tradeloom_database_waits_total', 'Jobs that had to wait for a connection', (lane) => lane.waited],
  ['tradeloom_database_wait_seconds_total', 'How long they waited, in sum', (lane) => lane.waitedMs / 1_000],
  ['tradeloom_database_refused_total', 'Jobs refused because of too long a wait', (lane) => lane.refused],
];

/** Exports the connection lanes of this process. They are only read on request: the work itself just increments numbers. */
export function gaugeLanes(registry: Registry, db: Pick<Db, 'figures'>): void {
  const registers = [registry];
  for (const [name, help, figure] of GAUGES) {
    new Gauge({
      name,
      help,
      registers,
      labelNames: ['lane'],
      collect() {
        for (const [lane, figures] of Object.entries(db.figures())) this.set({ lane }, figure(figures));
      },
    });
  }
  for (const [name, help, figure] of COUNTERS) {
    new Counter({
      name,
      help,
      registers,
      labelNames: ['lane'],
      collect() {
        this.reset();
        for (const [lane, figures] of Object.entries(db.figures())) this.inc({ lane }, figure(figures));
      },
    });
  }
}
