import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { ApiError, ConnectionError, createClient } from '../../client/src/client.ts';

/**
 * A till that sells whether or not the network is available. A sale is written to a file before the customer gets the goods; `sync` sends
 * the lines in order. Each has its own Idempotency-Key, so that a sale whose response was lost is sent again and stored once: the key is
 * valid for 24 hours, after that `external_id` finds the order. Files only grow, so that one till may sell while `sync` runs. The customer
 * takes the goods along: a sale has a shipping method that costs nothing, and is delivered at once.
 *
 * node till.ts setup, once, with a key that may change settings: prints the id of that method, for SHIPPING_METHOD
 * node till.ts sell PRODUCT QUANTITY [PRODUCT QUANTITY …]
 * node till.ts sync
 */
const {
  TRADELOOM_URL = 'http://127.0.0.1:3000',
  TRADELOOM_KEY = '',
  TILL = 'till-1',
  QUEUE = 'till-queue.jsonl',
  SHIPPING_METHOD = '',
} = process.env;
const TAKEN_ALONG = 'Taken along';
/** The walk-in customer, and the shop's own address. */
const WALK_IN = {
  customer_id: Number(process.env.WALK_IN_CUSTOMER ?? 1),
  shipping_address: '12 Rowan Street',
  shipping_city: 'Portland',
  shipping_state: 'OR',
  shipping_zip: '97205',
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

const { commerce } = createClient({ origin: TRADELOOM_URL, apiKey: TRADELOOM_KEY, retries: 2, timeoutMs: 5_000 });

/** Makes the method in the zone of the shop's own country, after those of the online shop, which takes the first. */
async function setup(): Promise<void> {
  const { country } = await commerce.get('/settings');
  const zones = await commerce.get('/shipping-zones', { query: { per_page: 100 } });
  const zone = zones.find(({ countries, states }) => countries.includes(country) && states.length === 0) ?? zones[0];
  if (zone === undefined) throw new Error('The shop has no shipping zone');
  const methods = await commerce.get('/shipping-methods', { query: { zone_id: zone.id, per_page: 100 } });
  const body = { zone_id: zone.id, name: TAKEN_ALONG, type: 'flat', cost: 0, position: 1_000 } as const;
  const method =
    methods.find(({ name }) => name === TAKEN_ALONG) ?? (await commerce.post('/shipping-methods', { body }));
  process.stdout.write(`${method.id}\n`);
}

/** Goes on from where an earlier attempt ended. */
async function handOver(id: number): Promise<void> {
  const path = { id };
  const { status } = await commerce.get('/orders/{id}', { path });
  const left = { pending: ['processing', 'delivered'], processing: ['delivered'] } as const;
  for (const next of status === 'pending' || status === 'processing' ? left[status] : []) {
    await commerce.patch('/orders/{id}/status', { path, body: { status: next } });
  }
}

/** Sends one sale. Throws errors that do not concern this sale alone: it stays in the queue. */
async function send({ id, items, sold_at }: Sale): Promise<void> {
  const shipping_method_id = Number(SHIPPING_METHOD);
  const body = { ...WALK_IN, shipping_method_id, items, external_id: id, metadata: { sold_at, till: TILL } };
  try {
    const order = await commerce.post('/orders', { body, idempotencyKey: id });
    await handOver(order.id);
    process.stdout.write(`${id} is order ${order.id}, ${order.total} ${order.currency}\n`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Sent before, more than a day ago: the order exists.
    if (error.code === 'duplicate') {
      const found = await commerce.get('/orders', { query: { search: id } });
      for (const order of found.filter(({ external_id }) => external_id === id)) await handOver(order.id);
      process.stdout.write(`${id} was sent before\n`);
    }
    // The goods or the amount are wrong: a person must look at it, and the other sales go on.
    else if ([400, 404, 409, 422].includes(error.status) && error.code !== 'idempotency_key_in_use') {
      append(REFUSED, { id, sold_at, items, code: error.code, message: error.message });
      process.stdout.write(`${id} is refused (${error.message}): see ${REFUSED}\n`);
    } else throw error;
  }
}

async function sync(): Promise<void> {
  if (SHIPPING_METHOD === '') throw new Error('Set SHIPPING_METHOD: `till.ts setup` prints it');
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
  else if (command === 'setup') await setup();
  else throw new Error('setup, sell PRODUCT QUANTITY …, or sync');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
