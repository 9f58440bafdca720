import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../load/child-process.ts';
import { databaseTimeOf, memoryOf, processorTimeOf } from '../load/process-usage.ts';
import { type Bench, call, fillList, startCampaign, written } from './campaign.ts';
import { measureSource } from './postfix.ts';
import { READERS, readProducts } from './product-reads.ts';

const READING_SECONDS = 4;

interface Sending {
  /** E-mails per second. */
  rate: number;
  /** Microseconds of processor time per e-mail. */
  server: number;
  database: number;
  /** MiB of the server, before and after. */
  memory: (number | null)[];
  /** The 99th percentile of product reads meanwhile, in milliseconds. */
  reads: number;
}

/** Sends a campaign to the list for some seconds, then reads products while it continues. */
async function sendFor(bench: Bench, list: number, seconds: number): Promise<Sending> {
  await ask(bench.server, 'hold sender');
  const campaign = await startCampaign(bench, list);
  await written(bench, campaign);
  await ask(bench.server, 'work');
  const sent = async (): Promise<number> => {
    const { counts } = await call<{ counts: { sent: number } }>(bench, 'GET', `/campaigns/${campaign}`);
    return counts.sent;
  };
  // After warming up: templates are read, connections opened, sets grown.
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

/** Measures personalised e-mails per second into postfix's smtp-sink, compared to smtp-source into the same sink. */
export async function emails(bench: Bench, sinkPort: number, seconds: number): Promise<void> {
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

/** The same with DKIM: shows the cost of signing. */
export async function signedEmails(bench: Bench, seconds: number): Promise<void> {
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
