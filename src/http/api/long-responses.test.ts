import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { type TestResponse, testServer } from '../../testing/harness.ts';
import type { Endpoint } from './endpoint.ts';
import { PIECE_LENGTH, serializerOf } from './serializer.ts';

const server = testServer();

const LIST = { data: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } } };
const RECORD = { data: LIST.data.items };

test.each([
  ['a list', LIST, Array.from({ length: 30 }, (_, i) => ({ text: `${'x'.repeat(i)}${'🛒'.repeat(9_000)}` }))],
  ['a list of one large record', LIST, [{ text: `x${'🛒'.repeat(200_000)}` }]],
  ['an empty list', LIST, []],
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

/** The body of a response, and the bytes of each of its chunks. */
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

test.each([
  ['products', '/commerce/v1/products?per_page=100'],
  ['searched products', '/commerce/v1/products?per_page=100&search=shoe'],
  ['customers', '/commerce/v1/customers?per_page=100'],
  ['templates', '/marketing/v1/templates?per_page=100'],
  ['an export of products', '/commerce/v1/products?format=jsonl'],
])('a long list of %s is sent in pieces, and is whole', async (_name, path) => {
  const shop = await server.company();
  const text = 'Größe 🛒 "8" '.repeat(4_000);
  for (let n = 0; n < 12; n++) {
    await make(shop.commerce('POST', '/products', { name: `Shoe ${n}`, price: 5, description: text }));
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`note ${i}`, text.slice(0, 480)]));
    for (let m = 0; m < 3; m++) {
      const customer = { email: `ada-${n}-${m}@example.com`, first_name: 'Ada', last_name: 'Byron', metadata };
      await make(shop.commerce('POST', '/customers', customer));
    }
    await make(shop.marketing('POST', '/templates', { name: `Mail ${n}`, content: `<p>${text}</p>` }));
  }
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
  expect(records).toHaveLength(path.includes('customers') ? 36 : 12);
  for (const record of records) expect(JSON.stringify(record)).toContain('Größe 🛒');
});
