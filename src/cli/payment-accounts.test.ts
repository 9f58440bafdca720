import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { temporaryDataFolder, tradeloom } from '../testing/program.ts';

const dataDir = temporaryDataFolder({ prepared: true });
const AT = ['--data-dir', dataDir];
const SECRETS = {
  TRADELOOM_PAYMENT_SECRET_KEY: 'sk_test_51fromTheEnvironment',
  TRADELOOM_PAYMENT_WEBHOOK_SECRET: 'whsec_fromTheEnvironment',
};
const STRIPE = ['--provider', 'stripe', '--mode', 'test', '--publishable-key', 'pk_test_51ofTheShop'];

test('accounts are added with secrets from the environment or standard input, listed and checked', async () => {
  await tradeloom(['companies', 'create', '--name', 'Shop', ...AT]);
  const add = ['payment-accounts', 'add', '--company', '1'];
  const made = await tradeloom([...add, ...STRIPE, '--name', 'Cards', '--json', ...AT], SECRETS);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const account = JSON.parse(made.stdout);
  expect(account).toMatchObject({ id: 1, provider: 'stripe', mode: 'test', active: false, secret_end: 'ment' });
  expect(account.webhook_url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/payments\/webhooks\/[\w-]{43}$/);

  const second = spawnSync(
    process.execPath,
    ['src/main.ts', ...add, '--provider', 'mollie', '--mode', 'live', '--name', 'Mollie', ...AT],
    { input: 'live_fromStandardInput\n\n', encoding: 'utf8' },
  );
  expect(second).toMatchObject({ status: 0, stderr: '' });
  expect(second.stdout).toMatch(/^Payment account 2 \(Mollie\) of company 1\. Webhooks of the service go to:\nhttp/);

  const listed = await tradeloom(['payment-accounts', 'list', '--company', '1', ...AT]);
  expect(listed.stdout).toMatch(
    /^1 +Cards +stripe +test +inactive +…ment +http.*\n2 +Mollie +mollie +live +inactive +…nput +http/m,
  );
  const check = ['payment-accounts', 'check', '--company', '1', '--account', '2', '--json', ...AT];
  // Nothing listens there.
  const checked = await tradeloom(check, { TRADELOOM_MOLLIE_URL: 'http://127.0.0.1:9/v2/' });
  expect(checked).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(checked.stdout)).toMatchObject({
    id: 2,
    ok: false,
    methods: [],
    message: expect.stringMatching(/^Mollie cannot be reached: /),
  });
  const said = [made, second, listed, checked].map(({ stdout }) => stdout).join('');
  expect(said).not.toMatch(/fromTheEnvironment|fromStandardInput|whsec/);
});

test.each([
  [2, ['add', '--company', '1', ...STRIPE, '--name', 'Cards'], 'sk_live_51ofTheShop', /^secret_key must be a key of/],
  [1, ['add', '--company', '99', ...STRIPE, '--name', 'Cards'], 'sk_test_51ofTheShop', /^No such company 99\.\n$/],
  [
    2,
    ['add', '--company', '1', '--provider', 'cash', '--mode', 'test', '--name', 'x'],
    'x',
    /Allowed choices are stripe/,
  ],
  [1, ['check', '--company', '1', '--account', '99'], 'x', /^No such payment account\.\n$/],
  [1, ['list', '--company', '99'], 'x', /^No such company 99\.\n$/],
] as const)('exit code %i for %j', async (code, args, secret, message) => {
  const env = { TRADELOOM_PAYMENT_SECRET_KEY: secret };
  const outcome = await tradeloom(['payment-accounts', ...args, ...AT], env);
  expect(outcome).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
});

test('without a secret key, the command says where it reads it', () => {
  const args = ['src/main.ts', 'payment-accounts', 'add', '--company', '1', ...STRIPE, '--name', 'Cards', ...AT];
  const { status, stderr } = spawnSync(process.execPath, args, { input: '', encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, 'Give the secret key on standard input, or in TRADELOOM_PAYMENT_SECRET_KEY.\n']);
});
