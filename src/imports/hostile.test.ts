import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { allSlices } from '../work/slices.ts';
import { CHUNK_BYTES } from './contract.ts';
import { TestImports } from './testing/imports.ts';
import { purgeImports } from './upkeep.ts';

const server = testServer({ impatient: true, described: true });
let shop: TestCompany;
let imports: TestImports;

beforeAll(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

/** Returns the result of checking a file of contacts; cancels the import afterwards. */
async function checked(file: string | Buffer, options: object = {}) {
  const id = await imports.upload('csv-contacts', file);
  const row = await imports.check(id, { email_consent: 'never', ...options });
  const findings = await imports.findings(id, 'check');
  if (row.status === 'checked') await imports.call('POST', `/imports/${id}/cancel`);
  return { ...row, findings };
}

describe('a file that cannot be imported', () => {
  test('is refused with a reason: empty, without a needed column, not in its encoding', async () => {
    expect(await checked('\n')).toMatchObject({ status: 'failed', error: expect.stringContaining('empty') });
    expect(await checked('colour\nred\n')).toMatchObject({
      status: 'failed',
      error: 'No column is mapped to email, or phone, or external_id',
    });
    const latin = Buffer.from('email,first name\na@example.com,Zo\xeb\n', 'latin1');
    expect(await checked(latin)).toMatchObject({ status: 'failed', error: expect.stringContaining('not in UTF-8') });
    expect(await checked(latin, { encoding: 'windows-1252' })).toMatchObject({ status: 'checked', created: 1 });
    const wide = Buffer.from('\ufeffemail,first name\r\nb@example.com,Zoë\r\n', 'utf16le');
    expect(await checked(wide)).toMatchObject({ status: 'checked', created: 1 });
  });

  test('is refused where it is a workbook, an archive or compressed, with what to do instead', async () => {
    const workbook = Buffer.concat([Buffer.from('PK\x03\x04\x14\0'), Buffer.from('[Content_Types].xml')]);
    const old = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);
    for (const encoding of ['utf-8', 'windows-1252', 'utf-16le']) {
      for (const [file, what] of [
        [workbook, 'Excel workbook'],
        [old, 'Excel workbook'],
        [gzipSync('email\n'), 'gzip'],
      ] as const) {
        const error = expect.stringMatching(new RegExp(`${what}.*CSV`));
        expect(await checked(file, { encoding })).toMatchObject({ status: 'failed', error });
      }
    }
    const id = await imports.upload('csv-contacts', workbook);
    const preview = await shop.commerce('GET', `/imports/${id}/preview`);
    expect([preview.status, preview.body.error.message]).toEqual([400, expect.stringContaining('Excel workbook')]);
    await imports.call('POST', `/imports/${id}/cancel`);
  });

  test('ends at a field of 10 MB, and at a quote that is never closed', async () => {
    const long = `email,first name\na@example.com,"${'x'.repeat(10 * 2 ** 20)}"\nb@example.com,B\n`;
    expect(await checked(long)).toMatchObject({ status: 'failed', error: expect.stringContaining('Row 2 is longer') });
    expect(await checked('email,first name\na@example.com,"open\n')).toMatchObject({ status: 'checked', refused: 1 });
  });

  test('loses only the rows that are wrong: NUL, quotes, too many columns', async () => {
    const many = Array.from({ length: 600 }, () => 'x').join(',');
    const file = `email,first name\na@example.com,A\0\nb@example.com,B\nc@example.com,${many}\nd@example.com,D\n`;
    const row = await checked(file);
    expect(row).toMatchObject({ status: 'checked', created: 2, refused: 2 });
    expect(row.findings.map((one: { row: number }) => one.row)).toEqual([2, 4]);
  });

  test('takes formulas as the texts that they are', async () => {
    const done = await imports.import('csv-contacts', 'email,first name\nformula@example.com,"=HYPERLINK(""x"")"\n', {
      email_consent: 'never',
    });
    expect(done.created).toBe(1);
    const [row] = await server.rows("select first_name from contacts where email = 'formula@example.com'");
    expect(row).toEqual({ first_name: '=HYPERLINK("x")' });
  });

  test('has bounded chunks, in order, and a bounded number of files is open', async () => {
    const { id } = await imports.call('POST', '/imports', { format: 'csv-contacts', file_name: 'x.csv' });
    const send = (n: number, bytes: Buffer | string) =>
      shop.commerce('POST', `/imports/${id}/chunks`, {
        n,
        data: typeof bytes === 'string' ? bytes : bytes.toString('base64'),
      });
    expect((await send(1, Buffer.from('late'))).status).toBe(422);
    expect((await send(0, 'no base64!')).status).toBe(422);
    expect((await send(0, Buffer.alloc(CHUNK_BYTES + 1))).status).toBe(422);
    expect((await send(0, Buffer.from('email\n'))).body.data).toMatchObject({ chunks: 1, bytes: 6 });
    // The same chunk sent again, as after a lost response.
    expect((await send(0, Buffer.from('email\n'))).body.data).toMatchObject({ chunks: 1, bytes: 6 });
    for (let n = 0; n < 2; n++) await imports.call('POST', '/imports', { format: 'klaviyo', file_name: 'x.csv' });
    const fourth = await shop.commerce('POST', '/imports', { format: 'klaviyo', file_name: 'x.csv' });
    expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, '60']);
    await imports.call('POST', `/imports/${id}/cancel`);
    expect((await send(1, Buffer.from('a@example.com'))).status).toBe(400);
  });
});

test('GET /imports and /import-formats list what there is', async () => {
  const { formats } = await imports.call('GET', '/import-formats');
  expect(formats).toHaveLength(14);
  expect(formats.find((one: { name: string }) => one.name === 'mailchimp').columns).toContainEqual({
    column: 'Email Address',
    field: 'email',
  });
  const list = await imports.call('GET', '/imports');
  expect(list.length).toBeGreaterThan(3);
  const { body } = await shop.commerce('GET', '/imports?per_page=2');
  expect([body.data.length, body.meta.pagination.total]).toEqual([2, list.length]);
});

test('refused rows are read page by page', async () => {
  const other = new TestImports(server, await server.company());
  const rows = Array.from({ length: 250 }, (_, i) => `nobody ${i}`);
  const id = await other.upload('csv-contacts', `email\n${rows.join('\n')}\n`);
  expect((await other.shop.commerce('POST', `/imports/${id}/run`)).status).toBe(400);
  expect(await other.check(id, { email_consent: 'never' })).toMatchObject({ refused: 250, total: 250 });
  const seen: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { body } = await other.shop.commerce('GET', `/imports/${id}/findings?per_page=100&after=${after}`);
    seen.push(...body.data.findings.map((one: { row: number }) => one.row));
    after = body.data.next;
  }
  expect(seen).toEqual(rows.map((_, i) => i + 2));
});

test('the file is forgotten with the import, and an unused one after a day', async () => {
  const other = new TestImports(server, await server.company());
  const chunks = () => server.rows('select 1 from import_chunks where company_id = $1', [other.shop.company_id]);
  await other.import('csv-contacts', 'email,consent\na@example.com,yes\n');
  const unused = await other.upload('csv-contacts', 'email,consent\nb@example.com,yes\n');
  const purge = () => allSlices(purgeImports(server.app.db.chores, server.clock));
  expect(await chunks()).toHaveLength(2);
  await purge();
  expect(await chunks()).toHaveLength(1);
  server.clock.advance(25 * 3_600_000);
  await purge();
  expect(await chunks()).toEqual([]);
  expect(await other.call('GET', `/imports/${unused}`)).toMatchObject({ status: 'cancelled' });
});
