import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { findEmbedded } from '../src/db/embedded/embedded.ts';
import { CHUNK_BYTES } from '../src/imports/contract.ts';
import { type FileKind, linesOf } from './imports/files.ts';
import { type Shop, startShop } from './imports/program.ts';
import { databaseTimeOf, memoryOf, peakOf, processorTimeOf, resetPeak } from './load/process-usage.ts';
import { endWithProcess } from './server/endings.ts';

interface Options {
  only: string[];
  contacts: number;
  products: number;
  undo?: true;
  profile?: string;
  nodeOptions: string[];
}

/** Limits of memory and time for importing a million contacts or 100,000 products, on two processors. */
const LIMIT_MIB = 300;
const LIMIT_SECONDS = 60;

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Uploads the file in chunks as the admin app does; returns the import's id. */
async function upload(shop: Shop, kind: FileKind, rows: number): Promise<number> {
  const { id } = await shop.call('POST', '/imports', { format: `csv-${kind}`, file_name: `${kind}.csv` });
  let rest = Buffer.alloc(0);
  let n = 0;
  const send = (data: Buffer): Promise<unknown> =>
    shop.call('POST', `/imports/${id}/chunks`, { n: n++, data: data.toString('base64') });
  for (const piece of linesOf(kind, rows)) {
    rest = Buffer.concat([rest, piece]);
    for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) await send(rest.subarray(0, CHUNK_BYTES));
  }
  if (rest.length > 0) await send(rest);
  return id;
}

interface Measured {
  shop: Shop;
  pid: number;
  client: pg.Client;
}

/** Starts a phase and waits for its end; prints its time, and the program's peak memory. */
async function phase({ shop, pid, client }: Measured, id: number, name: string, status: string): Promise<void> {
  const usage = async () => ({ program: await processorTimeOf(pid), database: await databaseTimeOf(client) });
  await resetPeak(pid);
  const before = await usage();
  const began = performance.now();
  let row = await shop.call('POST', `/imports/${id}/${name}`, {});
  while (row.status !== status) {
    if (row.error !== null) throw new Error(row.error);
    await sleep(100);
    row = await shop.call('GET', `/imports/${id}`);
  }
  const seconds = (performance.now() - began) / 1_000;
  const after = await usage();
  const used = (part: 'program' | 'database'): string => ((after[part] - before[part]) / 1e6).toFixed(1);
  say(
    `  ${name.padEnd(6)} ${seconds.toFixed(1).padStart(6)} s (limit ${LIMIT_SECONDS} for the file in full), processor ${used('program')} s of the program and ${used('database')} s of PostgreSQL, at most ${await peakOf(pid)} MiB (limit ${LIMIT_MIB})`,
  );
}

async function bench(options: Options): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradeloom-imports-'));
  const removeData = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  endWithProcess(removeData);
  const { profile } = options;
  const program = await startShop(dataDir, [
    ...options.nodeOptions,
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
  ]);
  try {
    const client = new pg.Client(await findEmbedded(dataDir));
    await client.connect();
    const measured: Measured = { shop: program.shop, pid: program.pid, client };
    const load = loadavg()[0]!.toFixed(1);
    say(
      `${availableParallelism()} processors, load ${load}; the program has ${await memoryOf(program.pid)} MiB at rest`,
    );
    for (const kind of ['contacts', 'products'] as const) {
      if (!options.only.includes(kind)) continue;
      say(`${options[kind]} ${kind}`);
      await resetPeak(program.pid);
      const id = await upload(program.shop, kind, options[kind]);
      say(`  upload ${' '.repeat(9)}at most ${await peakOf(program.pid)} MiB`);
      await phase(measured, id, 'check', 'checked');
      await phase(measured, id, 'run', 'done');
      if (options.undo) await phase(measured, id, 'undo', 'undone');
    }
    await client.end();
  } finally {
    await program.stop();
    await removeData();
  }
}

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_500_000) return value;
  throw new InvalidArgumentError('It takes a whole number from 1 to 1,500,000.');
}

await new Command('imports')
  .description(
    'Measure imports: a file of contacts and one of products, checked and run by the program as it is started.',
  )
  .option('--only <names>', 'contacts, products', (names) => names.split(','), ['contacts', 'products'])
  .option('--contacts <n>', 'rows of the file of contacts', count, 1_000_000)
  .option('--products <n>', 'rows of the file of products', count, 100_000)
  .option('--undo', 'undo each import afterwards')
  .option('--node-options <options>', 'for the Node of the program', (text) => text.split(' '), [])
  .option('--profile <folder>', 'where Node writes a profile of the program')
  .action(bench)
  .parseAsync();
