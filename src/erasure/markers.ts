import { createHmac } from 'node:crypto';
import type { TestBody, TestCompany, TestServer } from '../testing/harness.ts';

/** Unique words, each written into one personal field. */
export class Markers {
  /** The field of each word. */
  readonly fields = new Map<string, string>();

  /** Returns a word of letters and digits that is part of no other marker. */
  text(field: string): string {
    return this.planted(`zq${this.fields.size}mk`, field);
  }

  email(field: string): string {
    return `${this.text(field)}@example.com`;
  }

  /** Returns a valid phone number of the shops' country. */
  phone(field: string): string {
    return `+1${this.planted(`21337${String(10_000 + this.fields.size)}`, field)}`;
  }

  ip(field: string): string {
    return this.planted(`203.0.113.${this.fields.size}`, field);
  }

  private planted(word: string, field: string): string {
    this.fields.set(word, field);
    return word;
  }

  /** Returns the fields whose markers occur in the rows, with the tables. */
  foundIn(rows: { table: string; row: string }[]): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const { table, row } of rows) {
      const text = row.toLowerCase();
      for (const [word, field] of this.fields) {
        if (!occursIn(word, text)) continue;
        const tables = found.get(field) ?? new Set();
        found.set(field, tables.add(table));
      }
    }
    return found;
  }
}

/** Whether the text contains the word, as text or as hex bytes. A marker that ends in a digit must not be followed by one. */
function occursIn(word: string, text: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!/[0-9]/.test(word.at(-1)!) || !/[0-9]/.test(text[at + word.length] ?? '')) return true;
  }
  return text.includes(Buffer.from(word).toString('hex'));
}

/** Returns every row of every table, as text. */
export async function dump(server: TestServer): Promise<{ table: string; row: string }[]> {
  const tables = await server.rows<{ name: string }>(`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not like 'pg!_%' escape '!' and n.nspname <> 'information_schema' and c.relkind = 'r' order by 1`);
  const rows: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    for (const { row } of await server.rows<{ row: string }>(`select t::text as row from ${name} t`)) {
      rows.push({ table: name, row });
    }
  }
  return rows;
}

export async function sendSigned(server: TestServer, shop: TestCompany, path: string, body: TestBody): Promise<number> {
  const raw = JSON.stringify(body);
  const at = Math.floor(server.clock.now().getTime() / 1000);
  const signature = createHmac('sha256', shop.webhook_secret).update(`${at}.${raw}`).digest('hex');
  const headers = { 'x-company-id': String(shop.company_id), 'x-webhook-signature': `t=${at},v1=${signature}` };
  return (await server.request('POST', path, { raw, headers })).status;
}

/** Runs all workers until none has anything to do. */
export async function settle(server: TestServer): Promise<void> {
  for (let round = 0; round < 50; round++) {
    let done = 0;
    for (const worker of server.app.workers) done += await worker.runOnce();
    if (done === 0) return;
  }
}
