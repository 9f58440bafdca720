import { Command } from 'commander';
import pg from 'pg';
import { createCompany } from '../src/access/service.ts';
import { createApp } from '../src/app.ts';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { findAddedUpTo } from '../src/marketing/events/service.ts';
import { findFlowOfSegment } from '../src/marketing/flows/service.ts';
import { compileCount } from '../src/marketing/rules/compile.ts';
import { classifyBuyers, createSegmentsService } from '../src/marketing/segments/service.ts';
import { addContacts, addEvents, addList, addMessages } from './server/audience.ts';
import { startPostgres } from './server/postgres.ts';
import { commonRules, historyRules } from './server/segment-rules.ts';

interface Options {
  contacts: number;
  events: number;
  messages: number;
  dataDir?: string;
  explain?: boolean;
  only?: string;
}

const ROUNDS = 5;
/** Milliseconds that a count may take. */
const GOAL_MS = 500;

/** Fills a company where the data folder has none yet; returns its id and that of its list. */
async function fill(
  client: pg.Client,
  make: () => Promise<number>,
  size: Options,
): Promise<{ companyId: number; list: number }> {
  const { rows } = await client.query<{ company_id: string; id: string }>('select company_id, id from lists limit 1');
  if (rows[0] !== undefined) return { companyId: Number(rows[0].company_id), list: Number(rows[0].id) };
  const companyId = await make();
  const ids = await addContacts(client, companyId, size.contacts);
  await addEvents(client, companyId, ids, size.events);
  await addMessages(client, companyId, ids, size.messages);
  const list = await addList(client, companyId);
  // What the chores and autovacuum would have done over the year.
  await client.query("select fold_deltas('counter')");
  for (let more = true; more; ) {
    const { rows } = await client.query<{ more: boolean }>('select add_up_events(now()) as more');
    more = rows[0]!.more;
  }
  await client.query('vacuum (analyze)');
  return { companyId, list };
}

async function run(options: Options): Promise<void> {
  const postgres = await startPostgres('bench', options.dataDir);
  await migrate(postgres.connection);
  const config = { ...readConfig({ port: 0, dataDir: postgres.dataDir }, {}), logLevel: 'warn' };
  const { app, stop } = await createApp({ config, clock: systemClock, connection: postgres.connection });
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const now = systemClock.now();
  const make = async (): Promise<number> => {
    const company = {
      name: 'Audience',
      currency: 'USD',
      timeZone: 'UTC',
      country: 'US',
      now,
      masterKey: app.masterKey,
    };
    return (await createCompany(app.db, company)).company_id;
  };
  const { companyId, list } = await fill(client, make, options);
  while ((await classifyBuyers({ db: app.db, clock: systemClock })) > 0);
  const addedUpTo = await app.db.tx((tx) => findAddedUpTo(tx));
  const caller = { companyId, actor: 'bench', now, idempotency: null, requestId: 'bench' };
  const events = { knowsType: async () => true };
  const segments = createSegmentsService({ db: app.db, events, findFlowOfSegment });
  for (const [name, rules] of Object.entries({ ...commonRules(list), ...historyRules() })) {
    if (options.only !== undefined && !name.includes(options.only)) continue;
    const times: number[] = [];
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      found = (await segments.previewSegment(caller, rules)).count;
      times.push(performance.now() - began);
    }
    const ms = times.toSorted((a, b) => a - b)[ROUNDS >> 1]!;
    const verdict = ms < GOAL_MS ? '' : `  over ${GOAL_MS} ms`;
    process.stdout.write(`${name.padEnd(44)}${String(found).padStart(9)}${ms.toFixed(0).padStart(7)} ms${verdict}\n`);
    if (options.explain) {
      const { text, values } = compileCount({ companyId, now, addedUpTo }, rules);
      const plan = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, [...values]);
      for (const row of plan.rows) process.stdout.write(`    ${row['QUERY PLAN']}\n`);
    }
  }
  await client.end();
  await stop();
  await postgres.stop();
}

await new Command('segments')
  .description('Count what common rules pick among many contacts and events; the median of five counts each.')
  .option('--contacts <n>', 'how many contacts', Number, 1_000_000)
  .option('--events <n>', 'how many events', Number, 5_000_000)
  .option('--messages <n>', 'how many messages', Number, 2_000_000)
  .option('--data-dir <folder>', 'keep the data here, and use what is there')
  .option('--only <text>', 'rules whose name has this')
  .option('--explain', 'show the plans')
  .action(run)
  .parseAsync();
