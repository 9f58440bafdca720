import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { ApiError, ConnectionError, createClient } from '../../client/src/client.ts';

/**
 * A till that sells whether or not the network is available. A sale is written to a file before the customer gets the goods; `sync` sends
 * the lines in order. Each has its own Idempotency-Key, so that a sale whose response was lost is sent again and stored once: the key is
 * valid for 24 hours, after that `external_id` finds the order. Files only grow, so that one till may sell while `sync` runs.
 *
 * node till.ts sell PRODUCT QUANTITY [PRODUCT QUANTITY …]
 * node till.ts sync
 */
const {
  TRADELOOM_URL = 'http://127.0.0.1:3000',
  TRADELOOM_KEY = '',
  TILL = 'till-1',
  QUEUE = 'till-queue.jsonl',
} = process.env;
/** The walk-in customer, and the shop's own address: nothing is shipped. */
const WALK_IN = {
  customer_id: Number(process.env.WALK_IN_CUSTOMER ?? 1),
  ...{ shipping_address: '12 Rowan Street', shipping_city: 'Portland', shipping_state: 'OR', shipping_zip: '97205' },
};
/** Ids of sales that were sent or refused. */
const DONE = `${QUEUE}.done`;
const REFUSED = `${QUEUE}.refused`;

interface Sale {
  /** From the till and the time: the order's id in every system. */
  id: string;
  sold_at: string;
  items: { product_id: number; qty: number }[];
}

/** Returns the lines of a file. A line that a power cut left incomplete is skipped: its sale was not confirmed. */
function read<Line>(path: string): Line[] {
  if (!existsSync(path)) return [];
  const lines: Line[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    try {
      if (line !== '') lines.push(JSON.parse(line) as Line);
    } catch {
      process.stderr.write(`${path} has a line that was not written whole: ${line}\n`);
    }
  }
  return lines;
}

/** Appends a line, which is on the disk when this returns. */
function append(path: string, line: object): void {
  const isTorn = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, 'utf8'));
  const file = openSync(path, 'a');
  writeSync(file, `${isTorn ? '\n' : ''}${JSON.stringify(line)}\n`);
  fsyncSync(file);
  closeSync(file);
}

function sell(words: string[]): void {
  const items: Sale['items'] = [];
  for (let i = 0; i < words.length; i += 2) items.push({ product_id: Number(words[i]), qty: Number(words[i + 1]) });
  // A product without a quantity has that of NaN.
  const isWrong = (number: number): boolean => !Number.isInteger(number) || number < 1;
  if (items.length === 0 || items.some(({ product_id, qty }) => isWrong(product_id) || isWrong(qty))) {
    throw new Error('sell PRODUCT QUANTITY [PRODUCT QUANTITY …]');
  }
  const now = new Date();
  const sale = { id: `${TILL}-${now.getTime()}`, sold_at: now.toISOString(), items };
  append(QUEUE, sale);
  process.stdout.write(`${sale.id} is sold and waits to be sent\n`);
}

function waiting(): Sale[] {
  const done = new Set(read<{ id: string }>(DONE).map(({ id }) => id));
  return read<Sale>(QUEUE).filter(({ id }) => !done.has(id));
}

/** Sends one sale. Throws errors that do not concern this sale alone: it stays in the queue. */
async function send({ id, items, sold_at }: Sale): Promise<void> {
  const { commerce } = createClient({ origin: TRADELOOM_URL, apiKey: TRADELOOM_KEY, retries: 2, timeoutMs: 5_000 });
  const body = { ...WALK_IN, items, external_id: id, metadata: { sold_at, till: TILL } };
  try {
    const order = await commerce.post('/orders', { body, idempotencyKey: id });
    process.stdout.write(`${id} is order ${order.id}, ${order.total} ${order.currency}\n`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Sent before, more than a day ago: the order exists.
    if (error.code === 'duplicate') process.stdout.write(`${id} was sent before\n`);
    // The goods or the amount are wrong: a person must look at it, and the other sales go on.
    else if ([400, 404, 409, 422].includes(error.status) && error.code !== 'idempotency_key_in_use') {
      append(REFUSED, { id, sold_at, items, code: error.code, message: error.message });
      process.stdout.write(`${id} is refused (${error.message}): see ${REFUSED}\n`);
    } else throw error;
  }
}

async function sync(): Promise<void> {
  for (let [sale] = waiting(); sale !== undefined; [sale] = waiting()) {
    try {
      await send(sale);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      process.stdout.write(`No network: ${waiting().length} sales wait\n`);
      return;
    }
    append(DONE, { id: sale.id });
  }
  process.stdout.write('Everything is sent\n');
}

const [command, ...words] = process.argv.slice(2);
try {
  if (command === 'sell') sell(words);
  else if (command === 'sync') await sync();
  else throw new Error('sell PRODUCT QUANTITY …, or sync');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
