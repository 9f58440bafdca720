import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { startMollieDouble } from '../src/commerce/payments/testing/mollie/double.ts';
import { startStripeDouble } from '../src/commerce/payments/testing/stripe/double.ts';

/** What an owner runs with a test account, here at the doubles. */
const SCRIPT = fileURLToPath(new URL('conformance.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tradeloom-conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: string[], env: Record<string, string>, onText: (text: string) => void = () => {}) {
  const child = spawn(process.execPath, [SCRIPT, ...args], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece) => {
    stdout += piece;
  });
  child.stderr.on('data', (piece) => {
    stderr += piece;
    onText(String(piece));
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

const pageOf = (service: string): string => {
  const name = readdirSync(join(folder, 'dist')).find((one) => one.startsWith(`conformance-${service}-`))!;
  return readFileSync(join(folder, 'dist', name), 'utf8');
};

test.each([
  [[], {}, 'npm run conformance -- stripe'],
  [['stripe'], {}, 'SECRET_KEY is missing'],
  [['stripe'], { SECRET_KEY: 'sk_live_test_1' }, 'no key for tests'],
  [['stripe'], { SECRET_KEY: 'test_1' }, 'no key for tests'],
  [['mollie'], { SECRET_KEY: 'live_1' }, 'Live keys are refused'],
  [['mollie'], { SECRET_KEY: 'test_1', CURRENCY: 'euro' }, 'CURRENCY must be'],
])('%j with %j says what is missing, and calls nobody', async (args, env, said) => {
  const { code, stdout, stderr } = await run(args, env as Record<string, string>);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(said);
});

test.each(['EUR', 'JPY'])('Stripe is tried in %s, and the page of results is written', async (currency) => {
  const stripe = await startStripeDouble({ clock: systemClock });
  const env = { SECRET_KEY: stripe.account().secretKey, TRADELOOM_STRIPE_URL: stripe.url, CURRENCY: currency };
  const { code, stdout, stderr } = await run(['stripe'], env);
  await stripe.close();
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('NO ')]);
  expect(stdout).toContain('It does all that the shop relies on.');
  expect(stdout).toContain(pageOf('stripe'));
  expect(stdout + stderr).not.toContain(env.SECRET_KEY);
});

test('Mollie is tried with an owner who pays as the script asks', async () => {
  const mollie = await startMollieDouble({ clock: systemClock });
  const env = { SECRET_KEY: mollie.account().secretKey, TRADELOOM_MOLLIE_URL: mollie.url };
  const { code, stdout, stderr } = await run(['mollie'], env, (text) => {
    for (const [, choice, url] of text.matchAll(/choose (.+) on this page: (\S+)/g)) {
      const action = choice!.includes('Authorized') ? 'authorize' : 'pay';
      void fetch(url!, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' });
    }
  });
  await mollie.close();
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('NO ')]);
  expect(stdout).toContain(pageOf('mollie'));
});

test('what differs is named, and the exit code says so', async () => {
  const stripe = await startStripeDouble({ clock: systemClock });
  stripe.revokeKey();
  const env = { SECRET_KEY: stripe.account().secretKey, TRADELOOM_STRIPE_URL: stripe.url };
  const { code, stderr } = await run(['stripe'], env);
  await stripe.close();
  expect(code).toBe(1);
  expect(stderr).toMatch(/NO {2}accepts the keys, and names its methods: \w+/);
  expect(pageOf('stripe')).toContain('differ.');
});
