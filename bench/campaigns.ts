import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { ask, databaseTimeOf, memoryOf, messageFrom, processorTimeOf } from './child.ts';
import { Histogram } from './histogram.ts';
import type { LoadOrder, LoadReport } from './load.ts';
import type { Target } from './scenario.ts';

/** Of each side: the product's, and smtp-source's. */
const CONNECTIONS = 10;
const BATCH = 50;
/** What an e-mail weighs on the wire: both parts, their encoding and the headers. */
const MAIL_BYTES = 10_240;
const READING_SECONDS = 4;
/** Of smtp-source: some two seconds. */
const SOURCE_MESSAGES = 60_000;
const READERS = 4;
const FAN_OUT = 1_000_000;
const FAN_OUT_SECONDS = 15;
const run = promisify(execFile);

interface Bench {
  target: Target;
  server: ChildProcess;
  client: pg.Client;
  say: (line: string) => void;
}

async function call<T>({ target }: Bench, method: string, path: string, body: object = {}): Promise<T> {
  const { port, shop } = target;
  const response = await fetch(`http://127.0.0.1:${port}/marketing/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${shop.key}`,
      'x-company-id': `${shop.companyId}`,
      'content-type': 'application/json',
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A list of `count` contacts, by SQL; they have no text to search, which is not what is measured here. */
async function fillList({ client, target }: Bench, count: number): Promise<number> {
  const { companyId } = target.shop;
  const { rows } = await client.query<{ id: string }>(
    `insert into lists (company_id, name, created_at, updated_at) values ($1, 'Bench', now(), now()) returning id`,
    [companyId],
  );
  const list = Number(rows[0]!.id);
  await client.query(
    `with made as (
       insert into contacts (company_id, email, first_name, last_name, properties, search, created_at, updated_at)
       select $1, 'list-$LIST-' || n || '@shop.example', 'Ada', 'Number ' || n, jsonb_build_object('city', 'Town ' || n % 100),
         '', now(), now() from generate_series(1, $3::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', now(), now() from made`.replace('$LIST', String(list)),
    [companyId, list, count],
  );
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  return list;
}

/** Personalised in 16 places, with five links; the whole e-mail weighs MAIL_BYTES, a few more or less. */
function content(): string {
  const links = [1, 2, 3, 4, 5].map(
    (n) => `<a href="https://shop.example/products/${n}?campaign=spring">Product ${n}</a>`,
  );
  const own =
    'For you, {{ contact.first_name }} of {{ contact.properties.city }}, we have chosen what goes well with your last order, and we keep it for you until Sunday.';
  const forAll =
    'Everything is made to order in our own workshop, packed without plastic, and with you within three days; whatever you do not like you may send back within a month.';
  const paragraphs = (text: string, n: number): string => `<p style="margin:0 0 12px">${text}</p>`.repeat(n);
  return `<!doctype html><html><head><title>Spring</title></head><body style="font-family:sans-serif"><h1>Hello {{ contact.first_name }} {{ contact.last_name }}</h1>${links.join('')}${paragraphs(own, 7)}${paragraphs(forAll, 14)}</body></html>`;
}

async function startCampaign(bench: Bench, list: number): Promise<number> {
  const { campaign_id } = await call<{ campaign_id: number }>(bench, 'POST', '/campaigns', {
    name: 'Spring',
    type: 'email',
    subject: 'Spring has come, {{ contact.first_name }}',
    preview_text: 'For {{ contact.last_name }}',
    content: content(),
    list_id: list,
  });
  await call(bench, 'POST', `/campaigns/send/${campaign_id}`);
  return campaign_id;
}

/** Until the ledger knows whom it goes to. */
async function written({ client, target }: Bench, campaign: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ recipients: string | null }>(
      'select recipients from campaigns where company_id = $1 and id = $2',
      [target.shop.companyId, campaign],
    );
    if (rows[0]!.recipients !== null) return;
    await pause(100);
  }
}

async function measureSource(port: number): Promise<number> {
  const size = ['-l', String(MAIL_BYTES), '-m', String(SOURCE_MESSAGES), '-s', String(CONNECTIONS)];
  const began = performance.now();
  await run('smtp-source', ['-d', ...size, '-f', 'a@shop.example', '-t', 'b@shop.example', `127.0.0.1:${port}`]);
  return SOURCE_MESSAGES / ((performance.now() - began) / 1000);
}

interface Sending {
  /** E-mails per second. */
  rate: number;
  /** Microseconds of processor time of each. */
  server: number;
  database: number;
  /** MiB of the server, before and after. */
  memory: (number | null)[];
  /** The 99th percentile of product reads meanwhile, in milliseconds. */
  reads: number;
}

/** Sends a campaign to the list for a while, and then reads products while it goes on. */
async function sendFor(bench: Bench, list: number, seconds: number): Promise<Sending> {
  await ask(bench.server, 'hold sender');
  const campaign = await startCampaign(bench, list);
  await written(bench, campaign);
  await ask(bench.server, 'work');
  const sent = async (): Promise<number> => {
    const { counts } = await call<{ counts: { sent: number } }>(bench, 'GET', `/campaigns/${campaign}`);
    return counts.sent;
  };
  // Templates are read, connections opened, sets grown.
  while ((await sent()) < 1_000) await pause(20);
  const pid = bench.server.pid!;
  const times = async () => [await processorTimeOf(pid), await databaseTimeOf(bench.client)] as const;
  const memory = [await memoryOf(pid)];
  const [usedBefore, first, began] = [await times(), await sent(), performance.now()];
  await pause(seconds * 1000);
  const [last, ended, usedAfter] = [await sent(), performance.now(), await times()];
  memory.push(await memoryOf(pid));
  const reads = await readProducts(bench.target, READING_SECONDS);
  const lasted = (await call<{ status: string }>(bench, 'GET', `/campaigns/${campaign}`)).status === 'sending';
  if (!lasted) throw new Error('The campaign ended before its measurement did');
  await ask(bench.server, 'hold sender');
  await call(bench, 'POST', `/campaigns/cancel/${campaign}`);
  await ask(bench.server, 'work');
  const [server, database] = usedAfter.map((used, i) => (used - usedBefore[i]!) / (last - first));
  return { rate: (last - first) / ((ended - began) / 1000), server: server!, database: database!, memory, reads };
}

/** Personalised e-mails per second into postfix's smtp-sink, beside what its smtp-source brings into the same sink. */
async function emails(bench: Bench, sinkPort: number, seconds: number): Promise<void> {
  const list = await fillList(bench, 20_000 * (seconds + READING_SECONDS));
  const idle = await readProducts(bench.target, READING_SECONDS);
  const before = await measureSource(sinkPort);
  const { rate, server, database, memory, reads } = await sendFor(bench, list, seconds);
  const after = await measureSource(sinkPort);
  const source = (before + after) / 2;
  bench.say(
    `campaign-emails   ${rate.toFixed(0)}/s, processor time of each ${server.toFixed(0)} µs in the server and ${database.toFixed(0)} µs in the database, memory ${memory.join(' → ')} MiB`,
  );
  bench.say(
    `                  smtp-source ${source.toFixed(0)}/s (${before.toFixed(0)} before, ${after.toFixed(0)} after), ratio ${(rate / source).toFixed(2)}, goal 0.50`,
  );
  bench.say(
    `                  product reads over ${READERS} connections: p99 ${idle.toFixed(2)} ms idle, ${reads.toFixed(2)} ms meanwhile`,
  );
}

/** The same with DKIM: what signing takes of it. */
async function signedEmails(bench: Bench, seconds: number): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const dkim = {
    domain: 'shop.example',
    selector: 'bench',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  await call(bench, 'PATCH', '/sending-settings', { dkim, from_email: 'news@shop.example' });
  const list = await fillList(bench, 5_000 * (seconds + READING_SECONDS));
  const { rate, server, reads } = await sendFor(bench, list, seconds);
  await call(bench, 'PATCH', '/sending-settings', { dkim: null });
  bench.say(
    `campaign-signed   ${rate.toFixed(0)}/s with DKIM (RSA, 2,048 bits), processor time of each ${server.toFixed(0)} µs in the server; product reads p99 ${reads.toFixed(2)} ms meanwhile`,
  );
}

async function readProducts(target: Target, seconds: number): Promise<number> {
  const load = fork(new URL('./load.ts', import.meta.url));
  const report = messageFrom<LoadReport>(load, 'The load');
  const order: LoadOrder = { scenario: 'product-by-id', target, connections: READERS, warmUpSeconds: 1, seconds };
  load.send(order);
  const { failure, counts } = await report;
  if (failure !== null) throw new Error(failure);
  return new Histogram(counts).quantile(0.99) / 1000;
}

/** How long the ledger takes to learn whom a campaign goes to, and what product reads make of it. */
async function fanOut(bench: Bench): Promise<void> {
  await ask(bench.server, 'hold sender');
  const list = await fillList(bench, FAN_OUT);
  const idle = await readProducts(bench.target, 5);
  const reading = readProducts(bench.target, 8);
  await pause(1_500);
  const began = performance.now();
  const campaign = await startCampaign(bench, list);
  await written(bench, campaign);
  const took = (performance.now() - began) / 1000;
  const busy = await reading;
  await call(bench, 'POST', `/campaigns/cancel/${campaign}`);
  await ask(bench.server, 'work');
  bench.say(`campaign-fan-out  ${FAN_OUT} recipients in ${took.toFixed(1)} s, goal ${FAN_OUT_SECONDS.toFixed(1)}`);
  bench.say(
    `                  product reads over ${READERS} connections: p99 ${idle.toFixed(2)} ms idle, ${busy.toFixed(2)} ms meanwhile, ratio ${(busy / idle).toFixed(2)}, goal 3.00`,
  );
}

/** Postfix's sink on a port that was free a moment ago; null where this machine has none (Debian: postfix). */
async function startSink(): Promise<{ port: number; process: ChildProcess } | null> {
  const port = await freePort();
  const child = spawn('smtp-sink', ['-u', 'nobody', `127.0.0.1:${port}`, '100'], { stdio: 'ignore' });
  const started = await Promise.race([
    new Promise<false>((resolve) => child.once('error', () => resolve(false))),
    pause(500, true),
  ]);
  return started ? { port, process: child } : null;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function bench(only: string[], seconds: number): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const sink = await startSink();
  const server = fork(
    new URL('./server.ts', import.meta.url),
    sink === null ? [] : [`smtp://127.0.0.1:${sink.port}?tls=off&connections=${CONNECTIONS}&batch=${BATCH}`],
  );
  try {
    const target = await messageFrom<Target>(server, 'The server');
    const client = new pg.Client(target.database);
    await client.connect();
    const all = { target, server, client, say };
    if (only.includes('emails')) {
      if (sink === null) say('campaign-emails   not measured: there is no smtp-sink on this machine (Debian: postfix)');
      else await emails(all, sink.port, seconds);
    }
    if (only.includes('signed') && sink !== null) await signedEmails(all, seconds);
    if (only.includes('fan-out')) await fanOut(all);
    await client.end();
  } finally {
    if (server.connected) server.disconnect();
    sink?.process.kill();
  }
}

await new Command('campaigns')
  .description('Measure the sending side: e-mails per second beside smtp-source, and the fan-out of a million.')
  .option('--only <names>', 'emails, signed, fan-out', (names) => names.split(','), ['emails', 'signed', 'fan-out'])
  .option(
    '--seconds <n>',
    'how long e-mails are measured',
    (text) => {
      const seconds = Number(text);
      if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 600) return seconds;
      throw new InvalidArgumentError('It takes a whole number from 1 to 600.');
    },
    10,
  )
  .action(async (flags: { only: string[]; seconds: number }) => bench(flags.only, flags.seconds))
  .parseAsync();
