import { Command } from 'commander';
import pg from 'pg';
import { createKey } from '../../src/access/api-key-service.ts';
import { beginSession } from '../../src/access/sessions.ts';
import { createApp } from '../../src/app.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import type { TestResponse } from '../../src/testing/harness.ts';
import { startPostgres } from '../server/postgres.ts';
import { type Caller, listsOf, measureLists } from './lists.ts';

const BOUND_MS = 50;

/** Measures every list of the first company of a data folder that `main.ts` has filled. */
async function run({ dataDir, only }: { dataDir: string; only?: string }): Promise<void> {
  const postgres = await startPostgres('plans', dataDir);
  const config = { ...readConfig({ port: 0, dataDir: postgres.dataDir }, {}), logLevel: 'warn' };
  const { app, server, stop } = await createApp({ config, clock: systemClock, connection: postgres.connection });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const { rows } = await client.query<{ company_id: string }>('select min(company_id) as company_id from companies');
  const companyId = Number(rows[0]!.company_id);
  const made = { companyId, name: 'plans', scopes: ['*'], requestsPerHour: 0, expiresAt: null, actor: 'bench' };
  const { key } = await createKey(app.db, { ...made, now: systemClock.now() });
  const visit = { address: '127.0.0.1', userAgent: 'bench', personId: null };
  const cookie = `tradeloom=${await beginSession(app.db, { ...visit, now: systemClock.now() })}`;
  const byKey = { 'x-api-key': key, authorization: `Bearer ${key}`, 'x-company-id': String(companyId) };
  const call =
    (base: string, headers: Record<string, string>) =>
    async (method: string, path: string): Promise<TestResponse> => {
      const response = await fetch(`${origin}/${base}${path}`, { method, headers });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
  const company: Caller = {
    commerce: call('commerce/v1', byKey),
    marketing: call('marketing/v1', byKey),
    admin: call(`admin/api/${companyId}`, { cookie }),
  };
  const lists = (await listsOf(company)).filter(({ path }) => only === undefined || path.includes(only));
  const figures = await measureLists(client, company, lists, { bySize: true });
  // The slow ones come first.
  const [slow, quick] = [figures.filter(({ ms }) => ms > BOUND_MS), figures.filter(({ ms }) => ms <= BOUND_MS)];
  for (const { path, total, ms, scanned } of [...slow.toSorted((a, b) => b.ms - a.ms), ...quick]) {
    const remark = [ms > BOUND_MS ? `over ${BOUND_MS} ms` : '', ...scanned.map((table) => `reads all of ${table}`)];
    process.stdout.write(
      `${path.padEnd(72)}${String(total).padStart(9)}${ms.toFixed(1).padStart(8)} ms  ${remark.join(' ')}\n`,
    );
  }
  await client.end();
  await stop();
  await postgres.stop();
}

await new Command('plans')
  .description(
    'Take the time of every list of a database that was filled, its first, middle and last page, and look at the plans.',
  )
  .requiredOption('--data-dir <folder>', 'a data folder that main.ts made')
  .option('--only <text>', 'lists whose path has this')
  .action(run)
  .parseAsync();
