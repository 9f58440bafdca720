import pg from 'pg';
import type { Measure, MeasureOn } from './measure.ts';

/** A connection that runs one task after the other. */
export interface Lane {
  client: pg.Client;
  measure: Measure;
}

export type Task = (lane: Lane) => Promise<void>;

export async function openLanes(connection: pg.ClientConfig, count: number, measureOn: MeasureOn): Promise<Lane[]> {
  const lanes: Lane[] = [];
  for (let n = 0; n < count; n++) {
    const client = new pg.Client(connection);
    await client.connect();
    // No time limit; parallelism comes from the lanes.
    await client.query(`set statement_timeout = 0; set max_parallel_workers_per_gather = 0;
      set max_parallel_maintenance_workers = 0; set maintenance_work_mem = '1GB'; set work_mem = '256MB'`);
    lanes.push({ client, measure: await measureOn(client) });
  }
  return lanes;
}

/** Each lane takes the next task until there is none. After a failure no task is started, and those in progress are awaited. */
export async function inLanes(lanes: readonly Lane[], tasks: readonly Task[]): Promise<void> {
  const queue = [...tasks];
  const results = await Promise.allSettled(
    lanes.map(async (lane) => {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
        await task(lane).catch((error: unknown) => {
          queue.length = 0;
          throw error;
        });
      }
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
