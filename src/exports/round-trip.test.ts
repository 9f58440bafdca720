import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TestBody } from '../testing/harness.ts';
import { temporaryDataFolder, tradeloom } from '../testing/program.ts';

const folder = temporaryDataFolder();
mkdirSync(folder, { recursive: true });
const TRADELOOM_MASTER_KEY = Buffer.from('of the old home and of the new..').toString('base64');
const oldHome = { TRADELOOM_DATA_DIR: temporaryDataFolder({ serverRuns: true, prepared: true }), TRADELOOM_MASTER_KEY };
const newHome = { TRADELOOM_DATA_DIR: temporaryDataFolder({ serverRuns: true, prepared: true }), TRADELOOM_MASTER_KEY };

async function json(env: Record<string, string>, ...args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], env);
  expect([outcome.stderr, outcome.code]).toEqual(['', 0]);
  return JSON.parse(outcome.stdout);
}

/** Returns the rows of every table, except for values that a load creates anew. */
function booksOf(name: string): Map<string, string[]> {
  const files = readdirSync(join(folder, name)).filter((file) => file.endsWith('.jsonl'));
  return new Map(
    files.map((file) => {
      const lines = readFileSync(join(folder, name, file), 'utf8')
        .trimEnd()
        .split('\n');
      const rows = lines.filter(Boolean).map((line) => JSON.parse(line) as TestBody);
      // Leaves out the load's own audit entry, and the total of the audit log, which doctor compares with the rows.
      const kept = rows
        .filter((row) => row.action !== 'company.load' && row.counter !== 'audit_log')
        .map((row) => bare(file, row));
      // While a second load follows the first, totals may be folded, which keeps their sums.
      return [file, kept.map((row) => JSON.stringify(row)).sort()];
    }),
  );
}

function bare(file: string, { company_id: _company, ...row }: TestBody): TestBody {
  if (file === 'webhook_endpoints.jsonl') return { ...row, active: null, disabled_reason: null };
  if (file === 'payment_accounts.jsonl') return { ...row, active: null, secret_end: null };
  if (file === 'forms.jsonl') return { ...row, public_id: null };
  return row;
}

test('an export can be loaded into another installation, and next to its own company, with equal data', {
  timeout: 240_000,
}, async () => {
  const { company_id: company } = await json(oldHome, 'demo');
  const account = ['--provider', 'mollie', '--mode', 'test', '--name', 'Mollie', '--activate'];
  const made = await json(
    { ...oldHome, TRADELOOM_PAYMENT_SECRET_KEY: 'test_aKeyThatStaysInItsInstallation' },
    ...['payment-accounts', 'add', '--company', String(company), ...account],
  );
  expect(made).toMatchObject({ active: true, secret_end: 'tion' });
  const { tables } = await json(oldHome, 'export', String(company), '--to', join(folder, 'first'));
  const filled = tables.filter(({ rows }: { rows: number }) => rows > 0);
  expect(filled.length).toBeGreaterThan(30);

  const moved = await json(newHome, 'load', join(folder, 'first'));
  expect(moved).toMatchObject({ company_id: company, sending_held: true });
  expect(await json(newHome, 'sending', 'status')).toMatchObject({
    held_since: expect.any(String),
    because: 'loaded',
  });
  expect((await tradeloom(['sending', 'status'], newHome)).stdout).toContain(
    ': a company was loaded, which another installation may still run;',
  );
  const loaded = await json(newHome, 'payment-accounts', 'list', '--company', String(company));
  expect(loaded.payment_accounts).toMatchObject([{ id: made.id, name: 'Mollie', active: false, secret_end: null }]);
  expect(loaded.payment_accounts[0].webhook_url).not.toBe(made.webhook_url);
  await json(newHome, 'export', String(company), '--to', join(folder, 'second'));
  expect(booksOf('second')).toEqual(booksOf('first'));
  expect(await json(newHome, 'doctor')).toMatchObject({ ok: true });

  // Loaded next to the original, as a company of its own.
  const copy = await json(oldHome, 'load', join(folder, 'first'), '--keep-sending');
  expect(copy.company_id).toBeGreaterThan(company);
  expect((await json(oldHome, 'sending', 'status')).held_since).toBeNull();
  await json(oldHome, 'export', String(copy.company_id), '--to', join(folder, 'third'));
  expect(booksOf('third')).toEqual(booksOf('first'));
  expect(await json(oldHome, 'doctor')).toMatchObject({ ok: true });

  await json(newHome, 'load', join(folder, 'third'));
  expect((await json(newHome, 'companies', 'list')).companies).toHaveLength(2);
  const check = ['payment-accounts', 'check', '--company', String(company), '--account', String(made.id)];
  expect(await tradeloom(check, newHome)).toMatchObject({ code: 1, stdout: 'The account has no secret key\n' });
});

test('an export that is incomplete, of another master key or of a newer program is refused and leaves no data', {
  timeout: 120_000,
}, async () => {
  const { companies } = await json(newHome, 'companies', 'list');
  const from = join(folder, 'first');
  const stranger = {
    ...newHome,
    TRADELOOM_MASTER_KEY: Buffer.from('a key of somebody else entirely!').toString('base64'),
  };
  const refusal = async (env = newHome): Promise<string> => {
    const { code, stderr } = await tradeloom(['load', from], env);
    expect(code).toBe(1);
    return stderr;
  };
  expect(await refusal(stranger)).toContain('another master key');
  const change = async (file: string, by: (text: string) => string): Promise<string> => {
    const before = readFileSync(join(from, file), 'utf8');
    writeFileSync(join(from, file), by(before));
    const said = await refusal();
    writeFileSync(join(from, file), before);
    return said;
  };
  const withoutLast = (text: string): string => text.replace(/[^\n]+\n$/, '');
  expect(await change('orders.jsonl', withoutLast)).toContain('incomplete');
  expect(
    await change('manifest.json', (text) => text.replace(/"schema": "[^"]+"/, '"schema": "9999_later.sql"')),
  ).toContain('newer program');
  expect(await change('products.jsonl', (text) => text.replaceAll('"name":', '"caption":'))).toContain(
    'no column caption',
  );
  expect((await json(newHome, 'companies', 'list')).companies).toEqual(companies);
  // A load that is refused does not hold sending.
  expect(await refusal({ ...stranger, TRADELOOM_DATA_DIR: oldHome.TRADELOOM_DATA_DIR })).toContain(
    'another master key',
  );
  const broken = readFileSync(join(from, 'orders.jsonl'), 'utf8');
  writeFileSync(join(from, 'orders.jsonl'), withoutLast(broken));
  expect(await refusal(oldHome)).toContain('incomplete');
  writeFileSync(join(from, 'orders.jsonl'), broken);
  expect((await json(oldHome, 'sending', 'status')).held_since).toBeNull();
});
