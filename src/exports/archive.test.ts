import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { type TestPerson, testPerson } from '../testing/people.ts';
import { exportCompany } from './export.ts';
import { zipped } from './zip.ts';

const server = testServer();
let shop: TestCompany;
let owner: TestPerson;
const ROWS = 20_000;

beforeAll(async () => {
  const other = await server.company();
  await other.marketing('POST', '/contacts', { email: 'theirs@example.com' });
  shop = await server.company();
  await server.rows(
    `insert into contacts (company_id, external_id, email, first_name, search, email_consent, created_at, updated_at)
     select $1, n, 'c' || n || '@example.com', '=A' || n, '', 'subscribed', now(), now() from generate_series(1, $2::int) n`,
    [shop.company_id, ROWS],
  );
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
});

const ask = (person: TestPerson, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.origin}/admin/api/${shop.company_id}/export`, {
    headers: { cookie: person.cookie },
    ...(signal === undefined ? {} : { signal }),
  });

async function unpacked(archive: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const zip = await fromBufferPromise(archive);
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  return files;
}

describe('everything of a company', () => {
  test('is an archive of the files that the command line writes, with a row in the audit log', async () => {
    const response = await ask(owner);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(response.headers.get('content-disposition')).toMatch(/filename="company-\d+-\d{4}-\d\d-\d\d\.zip"/);
    const files = await unpacked(Buffer.from(await response.arrayBuffer()));
    const folder = mkdtempSync(join(tmpdir(), 'export-'));
    try {
      const written = await exportCompany(server.connection, shop.company_id, {
        folder: join(folder, 'files'),
        masterKey: server.app.masterKey,
        now: server.clock.now(),
      });
      expect(written.tables.find(({ table }) => table === 'contacts')).toEqual({ table: 'contacts', rows: ROWS });
      expect(files.size).toBe(2 * written.tables.length + 1);
      for (const name of ['contacts.jsonl', 'contacts.csv', 'companies.jsonl'])
        expect([name, files.get(name) === readFileSync(join(folder, 'files', name), 'utf8')]).toEqual([name, true]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(files.get('contacts.csv')).toContain(",'=A1,");
    expect(JSON.parse(files.get('manifest.json')!)).toMatchObject({ company_id: shop.company_id });
    expect([...files.values()].join('')).not.toContain('theirs@example.com');
    const { entries } = (await owner.ask('GET', `/${shop.company_id}/audit?action=company.export`)).body;
    expect(entries).toMatchObject([{ actor: `admin:${owner.id}`, target: 'company' }]);
  });

  test('is for owners who have just confirmed their identity', async () => {
    const manager = await testPerson(server, { [shop.company_id]: 'manager' });
    expect((await ask(manager)).status).toBe(403);
    const late = await testPerson(server, { [shop.company_id]: 'owner' });
    server.clock.advance(15 * 60_000);
    const refused = await ask(late);
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      403,
      'confirmation_required',
    ]);
  });

  test('is made one at a time, and given up where the client goes away', async () => {
    const fresh = await testPerson(server, { [shop.company_id]: 'owner' });
    const leaving = new AbortController();
    const [first] = [await ask(fresh, leaving.signal)];
    expect(first!.status).toBe(200);
    const second = await ask(fresh);
    expect([second.status, Number(second.headers.get('retry-after')) > 0]).toEqual([429, true]);
    leaving.abort();
    await expect
      .poll(async () => {
        const again = await ask(fresh);
        await again.arrayBuffer();
        return again.status;
      })
      .toBe(200);
    const open = await server.rows(
      "select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    expect(open).toEqual([]);
  });
});

test('archives are read by other programs', async ({ skip }) => {
  async function* pieces(): AsyncGenerator<string> {
    for (let n = 0; n < 1_000; n++) yield `${n} Zürich\n`.repeat(50);
  }
  async function* files() {
    yield { name: 'long.txt', pieces: pieces() };
    yield { name: 'empty.txt', pieces: (async function* (): AsyncGenerator<string> {})() };
  }
  const parts: Buffer[] = [];
  for await (const part of zipped(files(), new Date('2027-03-15T10:20:30Z'))) parts.push(part);
  const whole = await unpacked(Buffer.concat(parts));
  expect([whole.get('empty.txt'), whole.get('long.txt')?.split('\n').length]).toEqual(['', 50_001]);
  const folder = mkdtempSync(join(tmpdir(), 'zip-'));
  try {
    writeFileSync(join(folder, 'a.zip'), Buffer.concat(parts));
    const said = execFileSync('unzip', ['-t', join(folder, 'a.zip')], { encoding: 'utf8' });
    expect(said).toContain('No errors detected');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    skip('There is no unzip here');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
