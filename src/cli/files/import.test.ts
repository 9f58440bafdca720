import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { TestBody } from '../../testing/harness.ts';
import { temporaryDataFolder, tradeloom } from '../../testing/program.ts';

const folder = temporaryDataFolder();
const formulas = join(folder, 'formulas.csv');
mkdirSync(folder, { recursive: true });
writeFileSync(formulas, 'email,first name\nf@example.com,"=HYPERLINK(""x"")"\n');
const dated = join(folder, 'dated.csv');
writeFileSync(dated, 'number,email,date,item name,price\n1,a@example.com,03/04/2026,Cup,5\n');
const env = { TRADELOOM_DATA_DIR: temporaryDataFolder({ serverRuns: true, prepared: true }) };
const sample = (name: string) => fileURLToPath(new URL(`../../imports/testing/samples/${name}.csv`, import.meta.url));

async function json(...args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], env);
  expect([outcome.stderr, outcome.code]).toEqual(['', 0]);
  return JSON.parse(outcome.stdout);
}

test('a mistake with tradeloom import leaves no import open', { timeout: 300_000 }, async () => {
  const company = String((await json('companies', 'create', '--name', 'Mistaken')).company_id);
  const empty = join(folder, 'empty.csv');
  writeFileSync(empty, '');
  const imported = (file: string, ...options: string[]) =>
    tradeloom(['import', 'csv-contacts', file, '--company', company, '--consent', 'never', ...options], env);
  for (const [file, options, reason] of [
    [join(folder, 'typo.csv'), [], 'File not found'],
    [folder, [], 'is a folder'],
    [empty, [], 'is empty'],
    [formulas, ['--list', '77'], 'There is no list 77'],
    [formulas, ['--map', 'nope=email'], 'The file has no column nope'],
    [formulas, ['--map', 'email=foo'], 'contacts have no field foo'],
  ] as const) {
    const { code, stderr } = await imported(file, ...options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  }
  const { stderr: formats } = await tradeloom(['import', 'contacts', formulas, '--company', company], env);
  expect(formats).toMatch(/^Unknown format contacts. Formats: shopify-products, .*, csv-orders\.\n$/);
  const wide = join(folder, 'wide.csv');
  writeFileSync(wide, `email,first name,city\n${'nobody,N,Salem\n'.repeat(21)}a@example.com,A,Salem\n`);
  const { code, stdout } = await imported(wide);
  expect(code).toBe(0);
  expect(stdout).toContain("left out: city (--map 'column=field' takes a column)");
  expect(stdout).toContain('More rows were refused');
  const [, id = ''] = /tradeloom imports undo (\d+) --company/.exec(stdout)!;

  const { imports } = await json('imports', 'list', '--company', company);
  expect(imports.map(({ status }: TestBody) => status)).toEqual(['done', 'cancelled', 'cancelled', 'cancelled']);
  const undone = await tradeloom(['imports', 'undo', id, '--company', company], env);
  expect([undone.code, undone.stdout]).toEqual([0, `Import ${id} of wide.csv is undone: 1 records undone, 0 kept\n`]);
  expect((await tradeloom(['imports', 'list', '--company', company], env)).stdout).toMatch(/wide\.csv +undone +1 /);
  const ended = await tradeloom(['imports', 'cancel', id, '--company', company], env);
  expect([ended.code, ended.stderr]).toEqual([1, 'The import is undone.\n']);
});

test('tradeloom import checks a file, imports it, and reports rejected rows; tradeloom export writes everything', {
  timeout: 240_000,
}, async () => {
  const company = String((await json('companies', 'create', '--name', 'Shop')).company_id);
  const audience = ['import', 'mailchimp', sample('mailchimp'), '--company', company];
  const map = ['--map', 'Favourite Colour=property:colour', '--consent', 'subscribed'];
  expect(await json(...audience, ...map, '--dry-run')).toMatchObject({ status: 'checked', created: 2, refused: 1 });
  const shown = await tradeloom([...audience, ...map], env);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('row 4, Email Address: «not an address» is no e-mail address');
  expect(await json(...audience, ...map)).toMatchObject({ status: 'done', created: 0, unchanged: 2, refused: 1 });
  const refused = await tradeloom(audience, env);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('choose the consent of these people')]);
  expect(await json('import', 'shopify-orders', sample('shopify-orders'), '--company', company)).toMatchObject({
    created: 3,
  });
  const dates = ['import', 'csv-orders', dated, '--company', company, '--dry-run'];
  const open = 'date: date order month_first, by the default, «03/04/2026» could be otherwise: --date-order';
  expect((await tradeloom(dates, env)).stdout).toContain(open);
  const dayFirst = await json(...dates, '--date-order', 'day_first', '--time-zone', 'Asia/Tokyo');
  expect(dayFirst.readings).toMatchObject([{ value: 'day_first', decided_by: 'option' }, { value: 'Asia/Tokyo' }]);
  expect((await tradeloom(['import', 'nonsense', 'x.csv', '--company', company], env)).code).toBe(2);
  expect((await tradeloom(['import', 'klaviyo', sample('klaviyo'), '--company', '99'], env)).stderr).toContain(
    'company',
  );
  expect(await json('doctor')).toMatchObject({ ok: true });

  const other = String((await json('companies', 'create', '--name', 'Other')).company_id);
  await json('import', 'csv-contacts', formulas, '--company', other, '--consent', 'never');
  const to = join(folder, 'export');
  const { tables } = await json('export', company, '--to', to);
  const rowsOf = (name: string) => tables.find((one: { table: string }) => one.table === name)?.rows;
  expect(['orders', 'order_items', 'customers', 'contacts'].map(rowsOf)).toEqual([3, 4, 2, 4]);
  const lines = (name: string) =>
    readFileSync(join(to, `${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
  expect(lines('orders').map((line) => JSON.parse(line).external_id)).toEqual(['#1001', '#1002', '#1003']);
  const files = readdirSync(to);
  // Neither secrets nor anything of the other company.
  expect(files.filter((name) => /secret|api_keys|password/.test(name))).toEqual([]);
  const all = files.map((name) => readFileSync(join(to, name), 'utf8')).join('\n');
  expect(all).not.toMatch(/password_hash|HYPERLINK/);
  expect(readFileSync(join(to, 'contacts.csv'), 'utf8')).toContain('rosalind@example.com');
  const again = await tradeloom(['export', company, '--to', to], env);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
  await json('export', other, '--to', join(folder, 'other'));
  expect(readFileSync(join(folder, 'other', 'contacts.csv'), 'utf8')).toContain(`"'=HYPERLINK(""x"")"`);
  expect((await tradeloom(['export', '99', '--to', join(folder, 'none')], env)).code).toBe(1);
});
