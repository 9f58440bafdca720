import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, type TestResponse, testServer } from '../../testing/harness.ts';
import type { Endpoint } from './endpoint.ts';
import { PIECE_LENGTH, serializerOf } from './serializer.ts';

const server = testServer();
const RECORDS = 36;

const LIST = { data: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } } };
const RECORD = { data: LIST.data.items };
/** The records are in a field next to others. */
const BY_CURSOR = {
  inOrderOf: { cursor: 'things' },
  data: {
    type: 'object',
    properties: { things: LIST.data, pagination: { type: 'object', additionalProperties: true } },
  },
};

test.each([
  ['a list', LIST, Array.from({ length: 30 }, (_, i) => ({ text: `${'x'.repeat(i)}${'🛒'.repeat(9_000)}` }))],
  ['a list of one large record', LIST, [{ text: `x${'🛒'.repeat(200_000)}` }]],
  ['an empty list', LIST, []],
  [
    'a list by cursor',
    BY_CURSOR,
    { things: Array(30).fill({ text: '🛒'.repeat(9_001) }), pagination: { per_page: 30 } },
  ],
  ['an empty list by cursor', BY_CURSOR, { things: [], pagination: { next_cursor: null } }],
  ['a record', RECORD, { text: '🛒'.repeat(200_000) }],
])('the pieces of %s are its text, none ends within a character', (_name, endpoint, data) => {
  const serializer = serializerOf(endpoint as unknown as Endpoint);
  const pieces = [...serializer.pieces(data)];
  expect(JSON.parse(pieces.join(''))).toEqual(data);
  expect(pieces.join('')).toBe(serializer.text(data));
  for (const piece of pieces) {
    expect(piece.isWellFormed()).toBe(true);
    expect(piece.length).toBeLessThan(2 * PIECE_LENGTH);
  }
});

test.each([
  ['a list', LIST, (things: object[]) => things],
  ['a list by cursor', BY_CURSOR, (things: object[]) => ({ things, pagination: {} })],
])('of %s no record is made before its piece is asked for', (_name, endpoint, dataOf) => {
  let made = 0;
  const records = Array.from({ length: 40 }, () => ({
    get text() {
      made++;
      return 'x'.repeat(PIECE_LENGTH / 4);
    },
  }));
  const pieces = serializerOf(endpoint as unknown as Endpoint).pieces(dataOf(records));
  pieces.next();
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(10);
  const rest = [...pieces];
  expect(rest.length).toBeGreaterThan(4);
});

/** Returns the body of a response, with the bytes of each of its chunks. */
async function chunksOf(path: string, key: string, companyId: number): Promise<{ head: string; chunks: Buffer[] }> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  const headers = `Host: ${hostname}\r\nX-API-Key: ${key}\r\nAuthorization: Bearer ${key}\r\nX-Company-ID: ${companyId}`;
  socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);
  const received: Buffer[] = [];
  for await (const bytes of socket) received.push(bytes as Buffer);
  const all = Buffer.concat(received);
  const start = all.indexOf('\r\n\r\n') + 4;
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = all.indexOf('\r\n', at);
    const size = Number.parseInt(all.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return { head: all.toString('latin1', 0, start), chunks };
    chunks.push(all.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

async function make(made: Promise<TestResponse>): Promise<void> {
  expect(await made).toMatchObject({ status: 201 });
}

describe('a long list', () => {
  let shop: TestCompany;

  beforeAll(async () => {
    shop = await server.company();
    const text = 'Größe 🛒 "8" '.repeat(4_000);
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`note ${i}`, text.slice(0, 480)]));
    for (let n = 0; n < RECORDS; n++) {
      await make(shop.commerce('POST', '/products', { name: `Shoe ${n}`, price: 5, description: text }));
      const customer = { email: `ada-${n}@example.com`, first_name: 'Ada', last_name: 'Byron', metadata };
      await make(shop.commerce('POST', '/customers', customer));
      await make(shop.marketing('POST', '/templates', { name: `Mail ${n}`, content: `<p>${text}</p>` }));
      const event_data = { email: 'ada@example.com', product_id: String(n), product_name: 'Tea', note: text };
      await make(shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data }));
    }
  });

  test.each([
    ['products', '/commerce/v1/products?per_page=100'],
    ['searched products', '/commerce/v1/products?per_page=100&search=shoe'],
    ['customers', '/commerce/v1/customers?per_page=100'],
    ['templates', '/marketing/v1/templates?per_page=100'],
    ['events', '/marketing/v1/events?per_page=100'],
    ['products, exported', '/commerce/v1/products?format=jsonl'],
    ['events, exported', '/marketing/v1/events?format=jsonl'],
  ])('of %s is sent in pieces, and is whole', async (_name, path) => {
    const { head, chunks } = await chunksOf(path, shop.key, shop.company_id);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks) expect(chunk.length).toBeLessThan(2 * PIECE_LENGTH * 3);
    const whole = Buffer.concat(chunks).toString('utf8');
    const records = path.includes('jsonl')
      ? whole
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as object)
      : (Object.values(JSON.parse(whole) as object).find(Array.isArray) as object[]);
    expect(records).toHaveLength(RECORDS);
    for (const record of records) expect(JSON.stringify(record)).toContain('Größe 🛒');
  });
});
