import pg from 'pg';
import { monotonicMs } from '../../clock.ts';
import type { Wire } from '../wire/wire.ts';
import { GRACE_MS } from './connection.ts';
import { Lane, type LaneOptions } from './lane.ts';

/**
 * Kinds of work, each with connections of its own, so that none waits for another kind:
 * - points: single records by their key, and polling; a fraction of a millisecond each
 * - lists: lists, searches, counts, reports, exports: what reads many rows, with a lower priority on the processors
 * - writes: transactions and statements that write
 * - chores: background work of workers
 * - probe: the health check
 */
export const LANES = ['points', 'lists', 'writes', 'chores', 'probe'] as const;
export type LaneName = (typeof LANES)[number];
export type Lanes = Readonly<Record<LaneName, Lane>> & { close(): Promise<void> };

export interface LaneSettings {
  connection: pg.ClientConfig;
  wire: Wire;
  /** Connections per lane, where they differ from the default. */
  connections?: Partial<Record<LaneName, number>>;
  /** How long a statement may take, in every lane. */
  statementTimeoutMs?: number;
  onLost: (error: Error) => void;
}

type Plan = Pick<LaneOptions, 'connections' | 'depth' | 'shared' | 'background' | 'maxWaitMs'> & {
  statementMs: number;
};

/** Workers wait as long as it takes: there are few of them, and they would try again anyway. */
const PATIENT_MS = 60_000;
const MAX_WAIT_MS = 2_000;

const PLANS: Record<LaneName, Plan> = {
  points: { connections: 4, depth: 16, shared: true, background: false, maxWaitMs: MAX_WAIT_MS, statementMs: 5_000 },
  lists: { connections: 4, depth: 4, shared: false, background: true, maxWaitMs: MAX_WAIT_MS, statementMs: 5_000 },
  // Half of them can commit together for one company: with a slow disk the rate of its writes depends on how many share a commit. The
  // statement limit is above lock_timeout: with equal times a wait for a lock would end as a cancelled statement instead of a lock timeout.
  writes: { connections: 16, depth: 1, shared: false, background: false, maxWaitMs: MAX_WAIT_MS, statementMs: 15_000 },
  chores: { connections: 6, depth: 8, shared: false, background: false, maxWaitMs: PATIENT_MS, statementMs: 15_000 },
  probe: { connections: 1, depth: 1, shared: false, background: false, maxWaitMs: 1_000, statementMs: 1_000 },
};

const SWEEP_MS = 250;
/** A sweep that runs later than this shows that the process was suspended and has not read what arrived meanwhile. */
const LATE_MS = 1_000;

export function createLanes(settings: LaneSettings): Lanes {
  const lanes = Object.fromEntries(LANES.map((name) => [name, createLane(name, settings)])) as Record<LaneName, Lane>;
  let last = monotonicMs();
  const sweeps = setInterval(() => {
    const now = monotonicMs();
    const late = now - last > LATE_MS;
    last = now;
    for (const name of LANES) lanes[name].sweep(now, late);
  }, SWEEP_MS);
  sweeps.unref();
  return {
    ...lanes,
    async close() {
      await Promise.all(LANES.map((name) => lanes[name].close()));
      clearInterval(sweeps);
    },
  };
}

/** The connections that a process opens at most, by what it does. */
const MOST_CONNECTIONS = {
  all: mostOf(LANES),
  api: mostOf(['points', 'lists', 'writes', 'probe']),
  worker: mostOf(['points', 'writes', 'chores']),
} as const;

function mostOf(lanes: readonly LaneName[]): number {
  return lanes.reduce((sum, name) => sum + PLANS[name].connections, 0);
}

/** As pg_stat_activity shows it. */
function nameOf({ application_name: program = 'tradeloom' }: pg.ClientConfig, lane: LaneName): string {
  return `${program} ${lane}`;
}

function createLane(name: LaneName, { connection, wire, connections, statementTimeoutMs, onLost }: LaneSettings): Lane {
  const { statementMs, ...plan } = PLANS[name];
  const timeout = statementTimeoutMs ?? statementMs;
  return new Lane({
    ...plan,
    connections: connections?.[name] ?? plan.connections,
    settings: { ...connection, statement_timeout: timeout, application_name: nameOf(connection, name) },
    wire,
    limitMs: timeout + GRACE_MS,
    onLost,
  });
}

type Role = keyof typeof MOST_CONNECTIONS;

/** How a process names its connections: what it does, and its number on its machine. The lane follows. */
export function applicationName(role: Role, pid: number): string {
  return `tradeloom ${role} ${pid}`;
}

interface Budget {
  processes: number;
  /** What these processes may open together. */
  most: number;
  /** What the server leaves to users without privileges. */
  allowed: number;
}

/** Compares what all processes on this server may open, those of this database user, with what the server allows. */
export async function connectionBudget(connection: pg.ClientConfig): Promise<Budget> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ role: Role }>(`
      select distinct split_part(application_name, ' ', 2) as role, split_part(application_name, ' ', 3) as pid, client_addr
      from pg_stat_activity where application_name ~ '^tradeloom (all|api|worker) [0-9]+ '`);
    const { rows: limits } = await client.query<{ allowed: number }>(`
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed`);
    const most = rows.reduce((sum, { role }) => sum + MOST_CONNECTIONS[role], 0);
    return { processes: rows.length, most, allowed: limits[0]!.allowed };
  } finally {
    await client.end();
  }
}
