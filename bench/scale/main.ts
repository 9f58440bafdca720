import { availableParallelism, loadavg } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { createCompany } from '../../src/access/service.ts';
import { createApp } from '../../src/app.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import { createDb } from '../../src/db/create-db.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { ConnectionSettings } from '../../src/db/pool.ts';
import { checkInvariants } from '../../src/invariants.ts';
import { startPostgres } from '../server/postgres.ts';
import { FILLED_TABLES, fillAtOnce } from './at-once.ts';
import { monthsOf } from './fill.ts';
import { openLanes } from './lanes.ts';
import { createMeasure, phasesOf, type TableFigure } from './measure.ts';
import { addRecords } from './prepare.ts';
import type { FilledShop } from './shop.ts';
import { keepUp, vacuumOthers } from './upkeep.ts';

interface Options {
  companies: number;
  products: number;
  customers?: number;
  contacts: number;
  orders: number;
  events: number;
  messages: number;
  days: number;
  seed: string;
  lanes: number;
  dataDir?: string;
  check?: boolean;
  json?: boolean;
}

/** Settings for a database that is rebuilt after a crash: it need not be durable. */
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '4GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Copied tables are vacuumed at once.
  autovacuum: 'off',
};

/** Time limit of the check: events of years are summed in one statement. */
const CHECK_STATEMENT_MS = 3_600_000;

async function run(options: Options): Promise<void> {
  const say = (line: string): unknown => process.stderr.write(`${line}\n`);
  const postgres = await startPostgres('scale', options.dataDir, FAST);
  await migrate(postgres.connection);
  const config = { ...readConfig({ port: 0, dataDir: postgres.dataDir }, {}), logLevel: 'warn' };
  const { app, stop } = await createApp({ config, clock: systemClock, connection: postgres.connection });
  const { measureOn, figures } = createMeasure();
  const lanes = await openLanes(postgres.connection, options.lanes, measureOn);
  const { client, measure } = lanes[0]!;
  const midnight = new Date(new Date(systemClock.now()).setUTCHours(0, 0, 0, 0));
  // Workers sum up only data that is at least a day old.
  const until = new Date(midnight.getTime() - 2 * 86_400_000);
  const each = (total: number): number => Math.ceil(total / options.companies);
  const spans = monthsOf(until, options.days, {
    orders: each(options.orders),
    events: each(options.events),
    messages: each(options.messages),
  });
  const began = performance.now();
  const shops: FilledShop[] = [];
  for (let n = 0; n < options.companies; n++) {
    const from = spans[0]!.from;
    const company = { name: `Scale ${n}`, currency: 'EUR', timeZone: 'UTC', country: 'NL', now: from };
    const { company_id } = await createCompany(app.db, { ...company, masterKey: app.masterKey });
    const contacts = each(options.contacts);
    const size = {
      products: options.products,
      customers: options.customers === undefined ? Math.ceil(contacts / 2) : each(options.customers),
      contacts,
    };
    shops.push(await addRecords(client, { companyId: company_id, seed: `${options.seed}:${n}`, size, from }));
  }
  await fillAtOnce(lanes, shops, spans, systemClock.now());
  await keepUp(client, measure, systemClock.now());
  await vacuumOthers(client, measure, FILLED_TABLES);
  const seconds = (performance.now() - began) / 1_000;
  const load = loadavg();
  const tables = [...figures.values(), ...phasesOf(figures.values())];
  if (options.json) process.stdout.write(`${JSON.stringify({ seconds, load, tables })}\n`);
  else process.stdout.write(`${tables.map(lineOf).join('\n')}\n`);
  const average = load.map((one) => one.toFixed(1)).join(' ');
  say(`${seconds.toFixed(1)} s on ${availableParallelism()} processors, load ${average}`);
  if (options.check && !(await check(postgres.connection, say))) process.exitCode = 1;
  for (const lane of lanes) await lane.client.end();
  await stop();
  await postgres.stop();
}

/** Prints which invariants are violated, and how long the check took. */
async function check(connection: ConnectionSettings, say: (line: string) => unknown): Promise<boolean> {
  const began = performance.now();
  const connections = { points: 1, writes: 1 };
  const db = createDb({ connection, connections, statementTimeoutMs: CHECK_STATEMENT_MS });
  try {
    const broken = (await checkInvariants(db)).filter(({ ok }) => !ok);
    for (const { promise, examples } of broken) say(`WRONG ${promise}: ${examples[0]?.subject}`);
    say(`checked in ${((performance.now() - began) / 1_000).toFixed(1)} s: ${broken.length} invariants do not hold`);
    return broken.length === 0;
  } finally {
    await db.close();
  }
}

/** Seconds in total, of the generator and of PostgreSQL, then rows per second. */
function lineOf({ phase, table, rows, seconds, generator, database }: TableFigure): string {
  const rate = rows === 0 ? '' : `${String(rows).padStart(12)} rows, ${Math.round(rows / seconds)}/s`;
  const times = [seconds, generator, database].map((one) => one.toFixed(1).padStart(8)).join('');
  return `${phase.padEnd(8)}${table.padEnd(44)}${times}${rate}`;
}

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('It takes a whole number from 1 on.');
}

await new Command('scale')
  .description(
    'Fill a new database with what shops gather over the years, the same for the same seed; says how long each table took.',
  )
  .option('--companies <n>', 'among how many companies', count, 1)
  .option('--products <n>', 'products of each company', count, 5_000)
  .option('--customers <n>', 'customers of all (default: half of the contacts)', count)
  .option('--contacts <n>', 'contacts of all', count, 5_000)
  .option('--orders <n>', 'orders of all', count, 10_000)
  .option('--events <n>', 'events of all', count, 100_000)
  .option('--messages <n>', 'messages of all, with runs of flows and what readers did', count, 50_000)
  .option('--days <n>', 'over how many days up to now', count, 365)
  .option('--seed <text>', 'what the data depends on', '1')
  .option('--lanes <n>', 'how many tables are filled at a time', count, availableParallelism() + 1)
  .option('--data-dir <folder>', 'a new folder that keeps the database; the program can be started on it')
  .option('--check', 'check the invariants of doctor at the end')
  .option('--json', 'print JSON')
  .action(run)
  .parseAsync();
