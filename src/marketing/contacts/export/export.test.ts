import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { recordStatements, type SentStatement } from '../../../testing/statements.ts';

const server = testServer({ impatient: true, described: true });
/** 40 MB, more than sockets buffer. */
const EVENTS = 10_000;
const EVENT_BYTES = 4_000;
/** The maximum size of a page, as text. */
const PAGE_BYTES = 256 * 1024;

let shop: TestCompany;
let contact: number;

async function contactWith(of: TestCompany, events: number): Promise<number> {
  const email = `with-${events}@example.com`;
  const { contact_id } = (await of.marketing('POST', '/contacts', { email })).body;
  await server.rows(
    `insert into events (company_id, event_id, event_type, contact_id, data, occurred_at, received_at, source)
     select $1, nextval('event_ids'), 'visited', $2, jsonb_build_object('n', n, 'text', repeat('x', $3)), $4, $4, 'api'
     from generate_series(1, $5::int) n`,
    [of.company_id, contact_id, EVENT_BYTES, server.clock.now(), events],
  );
  return contact_id;
}

beforeAll(async () => {
  shop = await server.company();
  contact = await contactWith(shop, EVENTS);
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Requests the export and reads only its first bytes; returns them. */
async function stalled(of: TestCompany, id: number): Promise<{ socket: Socket; head: string }> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const path = `/marketing/v1/contacts/${id}/export`;
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${of.key}\r\nx-company-id: ${of.company_id}\r\n\r\n`,
  );
  const head = await new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.pause();
      resolve(data.toString('latin1').split('\r\n\r\n', 1)[0]!);
    });
  });
  return { socket, head };
}

/** Waits until the number stops changing. */
async function settled(read: () => number): Promise<number> {
  let last = -1;
  while (read() !== last) {
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return last;
}

const exported = (of: TestCompany, id: number) => of.marketing('GET', `/contacts/${id}/export`);

describe('GET /contacts/{id}/export of a contact with many rows', () => {
  test('is read page by page, and contains everything in order', async () => {
    let body: { events: { event_id: number; event_data: { n: number } }[] } = { events: [] };
    const sent = await recordStatements(async () => {
      body = (await exported(shop, contact)).body;
    });
    expect(Object.keys(body)).toEqual([
      ...[
        'contact',
        'consents',
        'memberships',
        'events',
        'messages',
        'activity',
        'flow_runs',
        'notifications',
        'mails',
        'form_submissions',
        'hold_outs',
      ],
    ]);
    expect(body.events.map((event) => event.event_data.n)).toEqual(
      Array.from({ length: EVENTS }, (_, i) => EVENTS - i),
    );
    const pages = sent.filter(({ text }) => text.includes('from events'));
    expect(pages.length).toBeGreaterThan((EVENTS * EVENT_BYTES) / PAGE_BYTES);
  });

  test('waits for a client that does not read, and stops when it disconnects', async () => {
    const total = (EVENTS * EVENT_BYTES) / PAGE_BYTES;
    const sent: SentStatement[] = [];
    const pagesRead = (): number => sent.filter(({ text }) => text.includes('from events')).length;
    await recordStatements(async () => {
      const { socket } = await stalled(shop, contact);
      const before = await settled(pagesRead);
      expect(before).toBeGreaterThan(1);
      expect(before).toBeLessThan(total * 0.75);
      socket.destroy();
      await settled(pagesRead);
      expect(pagesRead() - before).toBeLessThan(3);
    }, sent);
  });

  test('is limited to two at a time per company, and delays no other company', async () => {
    const other = await server.company();
    const small = await contactWith(other, 3);
    const own = await contactWith(shop, 3);
    const [first] = [await stalled(shop, contact), await stalled(shop, contact)];
    const refused = await exported(shop, own);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await exported(other, small)).body.events).toHaveLength(3);
    expect((await server.request('GET', '/health/live')).status).toBe(200);
    first.socket.destroy();
    await expect.poll(async () => (await exported(shop, own)).status).toBe(200);
  });

  test('stays within the page size even with events of maximum size', async () => {
    const other = await server.company();
    const { contact_id } = (await other.marketing('POST', '/contacts', { email: 'ann@example.com' })).body;
    await server.rows(
      `insert into events (company_id, event_id, event_type, contact_id, data, occurred_at, received_at, source)
       select $1, nextval('event_ids'), 'visited', $2, jsonb_build_object('n', n, 'text', repeat('x', case when n % 50 < 10 then 900000 else 10 end)),
         $3, $3, 'api' from generate_series(1, 120) n`,
      [other.company_id, contact_id, server.clock.now()],
    );
    const { headers, body } = await exported(other, contact_id);
    expect(headers.get('transfer-encoding')).toBe('chunked');
    expect(body.events).toHaveLength(120);
  });
});
