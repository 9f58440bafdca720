import { availableParallelism, loadavg } from 'node:os';
import { Command } from 'commander';
import pg from 'pg';
import { createCompany } from '../../src/access/service.ts';
import { createApp } from '../../src/app.ts';
import { monotonicMs, systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Place, RemovalSlice, Removed } from '../../src/db/removal.ts';
import { removalsOf } from '../../src/retention/removals.ts';
import { databaseTimeOf, processorTimeOf } from '../load/process-usage.ts';
import { startPostgres } from '../server/postgres.ts';

/** Rows per slice: what the worker reaches on such a machine. */
const LIMIT = 1_000;
/** Log rows per run. */
const LOGS_OF_RUN = 3;

interface Case {
  kind: 'flow_log' | 'webhook_deliveries' | 'contact_activity' | 'messages';
  table: string;
  /** Fills the table with `$2` old rows of company `$1`. */
  fills: string[];
}

const AT = "timestamptz '2020-01-01' + n * interval '1 second'";
const CASES: Case[] = [
  {
    kind: 'flow_log',
    table: 'flow_run_log',
    fills: [
      `insert into flow_runs (company_id, id, flow_id, version, contact_id, slot, status, listens, state, entered_at, ended_at)
       overriding system value
       select $1, n, 1, 1, n % 100000, 0, 'completed', '{}', '{}', ${AT}, ${AT} from generate_series(1, $2::int / ${LOGS_OF_RUN}) n`,
      `insert into flow_run_log (company_id, run_id, seq, at, entries)
       select $1, n, seq, ${AT}, '[{"step_id": "mail", "type": "send_email", "result": "passed"}]'
       from generate_series(1, $2::int / ${LOGS_OF_RUN}) n, generate_series(0, ${LOGS_OF_RUN - 1}) seq`,
    ],
  },
  {
    kind: 'webhook_deliveries',
    table: 'webhook_deliveries',
    fills: [
      `with e as (insert into webhook_endpoints (company_id, url, secret, created_at, updated_at)
         values ($1, 'https://shop.example', '\\x00', now(), now()) returning id)
       insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, status, due_at, give_up_at,
         created_at, finished_at)
       select $1, e.id, 'm' || n, 'order_placed', 'order:' || n, repeat('x', 300), 'delivered', ${AT}, ${AT}, ${AT}, ${AT}
       from e, generate_series(1, $2::int) n`,
    ],
  },
  {
    kind: 'contact_activity',
    table: 'contact_activity',
    fills: [
      `insert into contact_activity (company_id, contact_id, type, data, created_at)
       select $1, n % 100000, 'preferences_changed', '{"source": "page"}', ${AT} from generate_series(1, $2::int) n`,
    ],
  },
  {
    kind: 'messages',
    table: 'messages',
    fills: [
      `insert into messages (company_id, id, idem_key, channel, transactional, lane, contact_id, due_at, origin, status, created_at,
         handed_over_at, ended_at)
       overriding system value
       select $1, n, 'k' || n, 'email', false, 2, n % 100000, ${AT}, 'system', 'sent', ${AT}, ${AT}, ${AT}
       from generate_series(1, $2::int) n`,
      `insert into message_activity (company_id, message_id, type, contact_id, created_at)
       select $1, n, 'opened', n % 100000, ${AT} from generate_series(1, $2::int, 3) n`,
    ],
  },
];

async function run({ rows, only }: { rows: number; only?: string }): Promise<void> {
  const postgres = await startPostgres('removal');
  await migrate(postgres.connection);
  const config = { ...readConfig({ port: 0, dataDir: postgres.dataDir }, {}), logLevel: 'warn' };
  const { app, stop } = await createApp({ config, clock: systemClock, connection: postgres.connection });
  const client = new pg.Client(postgres.connection);
  await client.connect();
  await client.query('set statement_timeout = 0');
  const used = async (): Promise<number> =>
    ((await processorTimeOf(process.pid)) + (await databaseTimeOf(client))) / 1e6;
  const made = { name: 'Old', currency: 'EUR', timeZone: 'UTC', country: 'NL', now: systemClock.now() };
  const { company_id: companyId } = await createCompany(app.db, { ...made, masterKey: app.masterKey });
  for (const { kind, table, fills } of CASES) {
    if (only !== undefined && only !== kind) continue;
    for (const fill of fills) await client.query(fill, [companyId, rows]);
    await client.query('vacuum (analyze)');
    const [size] = (await client.query(`select pg_size_pretty(pg_total_relation_size('${table}')) as size`)).rows;
    const times: number[] = [];
    const began = monotonicMs();
    const usedBefore = await used();
    for (const removal of removalsOf(kind)) {
      let place: Place | null = null;
      do {
        const slice: RemovalSlice = { companyId, before: systemClock.now(), place, limit: LIMIT };
        const start = monotonicMs();
        const removed: Removed = await app.db.chores.tenantTx(companyId, (tx) => removal(tx, slice));
        place = removed.next;
        times.push(monotonicMs() - start);
      } while (place !== null);
    }
    const seconds = (monotonicMs() - began) / 1_000;
    const processor = (await used()) - usedBefore;
    const sorted = times.toSorted((a, b) => a - b);
    const quantile = (q: number): string =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!.toFixed(0);
    const [left] = (await client.query(`select count(*) as n from ${table}`)).rows;
    process.stdout.write(
      `${table.padEnd(20)} ${size.size}: ${rows} rows in ${seconds.toFixed(0)} s and ${processor.toFixed(0)} s of the processors, ${times.length} slices of ${quantile(0.5)} ms (99 %: ${quantile(0.99)} ms, longest ${quantile(1)} ms), ${left.n} left\n`,
    );
  }
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(`${availableParallelism()} processors, load ${load.join(' ')}\n`);
  await client.end();
  await stop();
  await postgres.stop();
}

await new Command('removal')
  .description('Fill tables with old rows, and remove them as the worker of retention does.')
  .option('--rows <n>', 'rows of each table', Number, 1_000_000)
  .option('--only <kind>', CASES.map(({ kind }) => kind).join(', '))
  .action(run)
  .parseAsync();
