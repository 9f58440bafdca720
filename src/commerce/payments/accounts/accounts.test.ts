import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { firstBrokenSeal } from '../../../access/audit.ts';
import { masterKeyFrom } from '../../../access/master-key.ts';
import { readKeys } from '../../../access/sealing/keys.ts';
import type { Caller } from '../../../caller.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../../testing/people.ts';
import { loadShop } from '../../shop.ts';
import { newPayment } from '../payment.ts';
import { createProviders } from '../providers/load.ts';
import {
  AccountRefused,
  type Asked,
  type PaymentProvider,
  type PaymentService,
  ProviderUnavailable,
} from '../providers/provider.ts';
import { drawPaymentId, savePayments } from '../queries.ts';
import { startMollieDouble } from '../testing/mollie/double.ts';
import { startStripeDouble } from '../testing/stripe/double.ts';
import { openAccount } from './account.ts';
import type { PaymentAccountInput } from './contract.ts';
import { deleteAccount, lockAccount } from './queries.ts';
import { createPaymentAccountsService } from './service.ts';

const server = testServer();
const SECRET = 'sk_test_51ofTheShopsSecretKey';
const STRIPE = {
  provider: 'stripe',
  mode: 'test',
  name: 'Stripe',
  secret_key: SECRET,
  publishable_key: 'pk_test_51ofTheShop',
} as const;
const MOLLIE = { provider: 'mollie', mode: 'test', name: 'Mollie', secret_key: 'test_aKeyOfMollie0123456789' } as const;

let shop: TestCompany;
let owner: TestPerson;
beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
});

const ask = (method: string, path = '', body?: unknown) =>
  owner.ask(method, `/${shop.company_id}/payment-accounts${path}`, body);

async function create(fields: object = {}): Promise<TestBody> {
  const { status, body } = await ask('POST', '', { ...STRIPE, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

async function secretsOf(id: number) {
  const { paymentAccounts } = await loadShop(server.app.db, shop.company_id);
  return openAccount(server.app.masterKey, paymentAccounts.find((one) => one.id === id)!);
}

const fieldsOf = ({ details }: TestBody): string[] =>
  (details as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`).sort();

async function fresh(): Promise<void> {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
}

/** The service with a provider that is replaced. */
function withProvider(load: (name: PaymentService) => Promise<PaymentProvider>) {
  const { db, versions, shops, masterKey } = server.app;
  const origin = () => 'https://shop.example.com';
  return createPaymentAccountsService({ db, versions, shops, masterKey, providers: load, origin });
}

function caller(): Caller {
  const { company_id: companyId } = shop;
  return { companyId, actor: 'test', requestId: 'test', now: server.clock.now(), idempotency: null };
}

const offering = (methods: (asked: Asked) => Promise<string[]>) => async () => ({ methods }) as PaymentProvider;

describe('an account', () => {
  test('is created, listed, read and changed, without its secrets', async () => {
    await fresh();
    const moment = server.clock.now().toISOString();
    const made = await create({ webhook_secret: 'whsec_ofTheFirst' });
    expect(made).toEqual({
      id: expect.any(Number),
      provider: 'stripe',
      mode: 'test',
      name: 'Stripe',
      active: false,
      publishable_key: 'pk_test_51ofTheShop',
      secret_end: 'tKey',
      webhook_url: expect.stringMatching(new RegExp(`^${server.origin}/payments/webhooks/[A-Za-z0-9_-]{43}$`)),
      created_at: moment,
      updated_at: moment,
    });
    const mollie = await create({ ...MOLLIE, publishable_key: null });
    expect(mollie).toMatchObject({ provider: 'mollie', publishable_key: null, secret_end: '6789' });
    expect(mollie.webhook_url).not.toBe(made.webhook_url);
    expect((await ask('GET')).body).toEqual({ payment_accounts: [made, mollie] });
    expect((await ask('PATCH', `/${made.id}`, { name: ' Cards ' })).body).toEqual({ ...made, name: 'Cards' });
    expect((await ask('GET', `/${made.id}`)).body.name).toBe('Cards');
    expect(await secretsOf(made.id)).toMatchObject({ secretKey: SECRET, webhookSecrets: ['whsec_ofTheFirst'] });
    expect((await ask('GET', '/999999999')).status).toBe(404);
  });

  test('keeps the webhook secret that is replaced, until the next one', async () => {
    const { id } = await create({ webhook_secret: 'whsec_one' });
    const secretsAfter = async (webhook_secret: string | null) => {
      expect((await ask('PATCH', `/${id}`, { webhook_secret })).status).toBe(200);
      return (await secretsOf(id)).webhookSecrets;
    };
    expect(await secretsAfter('whsec_two')).toEqual(['whsec_two', 'whsec_one']);
    expect(await secretsAfter('whsec_two')).toEqual(['whsec_two', 'whsec_one']);
    expect(await secretsAfter('whsec_three')).toEqual(['whsec_three', 'whsec_two']);
    expect(await secretsAfter(null)).toEqual([]);
    await ask('PATCH', `/${id}`, { secret_key: 'rk_test_aRestrictedKey' });
    expect(await secretsOf(id)).toMatchObject({ secretKey: 'rk_test_aRestrictedKey', webhookSecrets: [] });
  });

  test.each([
    [{ secret_key: 'sk_live_51ofTheShop' }, ['secret_key key_prefix']],
    [{ secret_key: 'pk_test_51ofTheShop' }, ['secret_key key_prefix']],
    [{ mode: 'live' }, ['publishable_key key_prefix', 'secret_key key_prefix']],
    [{ publishable_key: null }, ['publishable_key no_publishable_key']],
    [{ webhook_secret: 'sec_123456' }, ['webhook_secret key_prefix']],
    [MOLLIE, ['publishable_key unfit_for_service']],
    [{ ...MOLLIE, publishable_key: null, webhook_secret: 'whsec_123' }, ['webhook_secret unfit_for_service']],
    [{ ...MOLLIE, publishable_key: null, secret_key: 'live_aKeyOfMollie' }, ['secret_key key_prefix']],
    [{ ...MOLLIE, publishable_key: null, mode: 'live' }, ['secret_key key_prefix']],
    [{ provider: 'manual', mode: 'sandbox' }, ['mode one_of', 'provider one_of']],
    [{ secret_key: 'sk_test_ with spaces' }, ['secret_key invalid']],
  ])('is refused with %j', async (fields, errors) => {
    const { status, body } = await ask('POST', '', { ...STRIPE, ...fields });
    expect([status, body.error]).toEqual([400, 'validation_failed']);
    expect(fieldsOf(body)).toEqual(errors);
    expect(JSON.stringify(body)).not.toContain('51ofTheShop');
  });

  test('keeps its mode when its key is replaced', async () => {
    const { id } = await create();
    expect((await ask('PATCH', `/${id}`, { secret_key: 'sk_live_51ofTheShop' })).status).toBe(400);
    expect((await secretsOf(id)).secretKey).toBe(SECRET);
  });

  test('is one of at most ten', async () => {
    await fresh();
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, n) => ask('POST', '', { ...STRIPE, name: `Stripe ${n}` })),
    );
    expect(all.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(all.find(({ status }) => status !== 201)!.body.message).toBe('A shop has room for 10 payment accounts');
  });

  test('is deleted unless a method or a payment refers to it', async () => {
    await fresh();
    const [free, used] = [await create(), await create()];
    expect((await ask('DELETE', `/${free.id}`)).body).toEqual({ id: free.id, deleted: true });
    expect((await ask('GET', `/${free.id}`)).status).toBe(404);
    await server.rows('update payment_accounts set active = true where company_id = $1', [shop.company_id]);
    const method = { provider: 'stripe', kind: 'any', name: 'Online', account_id: used.id };
    const { id } = (await shop.commerce('POST', '/payment-methods', method)).body.data;
    const refused = await ask('DELETE', `/${used.id}`);
    expect([refused.status, refused.body.error]).toEqual([400, 'in_use']);
    expect(refused.body.message).toBe(`Payment methods use it: ${id}. Deactivate the account instead`);
    expect((await ask('PATCH', `/${used.id}`, { active: false })).body.active).toBe(false);
    await server.rows('update payment_methods set account_id = $2 where company_id = $1', [shop.company_id, 0]);
    await server.rows(
      `insert into payments (company_id, order_id, method_id, provider, account_id, mode, label, amount, status, created_at, updated_at)
       values ($1, 1, $2, 'stripe', $3, 'test', 'Online', 100, 'cancelled', now(), now())`,
      [shop.company_id, id, used.id],
    );
    expect((await ask('DELETE', `/${used.id}`)).body.message).toBe(
      'Payments were made through it. Deactivate the account instead',
    );
  });

  test('belongs to owners of its company, who confirm changes', async () => {
    const { id } = await create();
    const path = `/${shop.company_id}/payment-accounts`;
    const manager = await testPerson(server, { [shop.company_id]: 'manager' });
    expect((await manager.ask('GET', path)).body.error).toBe('forbidden_role');
    const other = await server.company();
    const stranger = await testPerson(server, { [other.company_id]: 'owner' });
    expect((await stranger.ask('GET', `/${other.company_id}/payment-accounts/${id}`)).status).toBe(404);
    expect((await shop.commerce('GET', '/payment-accounts')).status).toBe(404);
    const late = await testPerson(server, { [shop.company_id]: 'owner' });
    server.clock.advance(15 * 60_000);
    expect((await late.ask('PATCH', `${path}/${id}`, { name: 'x' })).body.error).toBe('confirmation_required');
    expect((await late.ask('GET', path)).status).toBe(200);
    owner = await testPerson(server, { [shop.company_id]: 'owner' });
  });

  test('is mentioned in the audit log without its secrets', async () => {
    await fresh();
    const { id } = await create({ webhook_secret: 'whsec_one' });
    await ask('PATCH', `/${id}`, { secret_key: 'rk_test_anotherSecret', webhook_secret: null });
    await ask('POST', `/${id}/check`);
    await ask('DELETE', `/${id}`);
    const { entries } = (await owner.ask('GET', `/${shop.company_id}/audit?action=payment_account.`)).body;
    const target = `payment_account:${id}`;
    expect(entries.toReversed()).toMatchObject([
      { action: 'payment_account.create', target, details: { mode: 'test', secret_key: 'set', webhook_secret: 'set' } },
      { action: 'payment_account.update', target, details: { secret_key: 'set', webhook_secret: 'removed' } },
      { action: 'payment_account.check', target },
      { action: 'payment_account.delete', target, actor: `admin:${owner.id}` },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/51ofTheShopsSecretKey|anotherSecret|whsec_/);
    expect(await firstBrokenSeal(server.app.db, shop.company_id)).toBeNull();
  });
});

describe('an account whose master key is lost', () => {
  const lose = async (id: number) => {
    const sealed_config = Buffer.from(
      masterKeyFrom(() => readKeys(randomBytes(32).toString('base64'), 'the test')).seal('{}'),
    ).toString('base64');
    await server.rows('update payment_accounts set active = true, sealed_config = $2 where id = $1', [
      id,
      sealed_config,
    ]);
    return sealed_config;
  };

  test('is deactivated, with its secrets as they are sealed, and cannot be activated', async () => {
    await fresh();
    const { id } = await create();
    const sealed_config = await lose(id);
    expect(fieldsOf((await ask('PATCH', `/${id}`, { name: 'Renamed' })).body)).toEqual(['secret_key no_secret_key']);
    const { status, body } = await ask('PATCH', `/${id}`, { active: false });
    expect([status, body.active]).toEqual([200, false]);
    const [row] = await server.rows('select sealed_config, secret_end from payment_accounts where id = $1', [id]);
    expect(row).toEqual({ sealed_config, secret_end: SECRET.slice(-4) });
    expect(fieldsOf((await ask('PATCH', `/${id}`, { active: true })).body)).toEqual(['secret_key no_secret_key']);
    const checked = (await ask('POST', `/${id}/check`)).body;
    expect(checked).toMatchObject({
      ok: false,
      message: 'The master key with which its secrets were sealed is lost: enter them again',
    });
  });

  test('takes new secrets', async () => {
    await fresh();
    const { id } = await create({ webhook_secret: 'whsec_lostWithTheKey' });
    await lose(id);
    const secrets = { secret_key: 'sk_test_51afterTheLoss', webhook_secret: 'whsec_afterTheLoss' };
    expect((await ask('PATCH', `/${id}`, secrets)).status).toBe(200);
    expect(await secretsOf(id)).toMatchObject({
      secretKey: secrets.secret_key,
      webhookSecrets: [secrets.webhook_secret],
    });
  });
});

describe('the deletion of an account', () => {
  const payment = async (accountId: number) => {
    const { paymentMethods, paymentAccounts, timeZone } = await loadShop(server.app.db, shop.company_id);
    const method = { ...paymentMethods[0]!, account_id: accountId };
    const payable = { cartId: null, orderId: 1, amount: 100, reservedUntil: null };
    const now = server.clock.now();
    return newPayment(method, await drawPaymentId(server.app.db), payable, {
      timeZone,
      accounts: paymentAccounts,
      now,
    });
  };
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const isWaiting = () => expect.poll(() => server.rows(waiting)).not.toEqual([]);

  /** An account which no method uses any more, and a payment through it by a configuration of a moment ago. */
  async function unused() {
    await fresh();
    const { id } = await create();
    await server.rows('update payment_accounts set active = true where id = $1', [id]);
    const method = { provider: 'stripe', kind: 'any', name: 'Online', account_id: id };
    await shop.commerce('POST', '/payment-methods', method);
    const begun = await payment(id);
    await server.rows('update payment_methods set account_id = 0 where company_id = $1', [shop.company_id]);
    return { id, begun };
  }

  test('waits for a payment that begins, and is refused then', async () => {
    const { id, begun } = await unused();
    const deletion = await server.app.db.tenantTx(shop.company_id, async (tx) => {
      await savePayments(tx, shop.company_id, [begun]);
      const asked = ask('DELETE', `/${id}`);
      await isWaiting();
      return { asked };
    });
    expect((await deletion.asked).body.message).toBe('Payments were made through it. Deactivate the account instead');
    expect((await ask('GET', `/${id}`)).status).toBe(200);
  });

  test('refuses a payment that begins meanwhile', async () => {
    const { id, begun } = await unused();
    const { saved } = await server.app.db.tenantTx(shop.company_id, async (tx) => {
      await lockAccount(tx, shop.company_id, id, 'delete');
      await deleteAccount(tx, shop.company_id, id);
      const saved = server.app.db
        .tenantTx(shop.company_id, (other) => savePayments(other, shop.company_id, [begun]))
        .then(
          () => null,
          ({ code, details }: { code: string; details: object }) => [code, details],
        );
      await isWaiting();
      return { saved };
    });
    expect(await saved).toEqual(['payment_method_unavailable', { method_id: begun.method_id }]);
  });
});

describe('activation', () => {
  const missing = async () => {
    throw Object.assign(new Error("Cannot find package 'stripe'"), { code: 'ERR_MODULE_NOT_FOUND' });
  };

  test('is refused where the code of the service cannot be loaded, with the reason', async () => {
    const { id } = await create();
    const accounts = withProvider(missing);
    const why = /^The code for Stripe cannot be loaded: its package is missing in this checkout\. Run npm install/;
    const refusal = { details: { fields: [{ field: 'active', message: expect.stringMatching(why) }] } };
    await expect(accounts.updateAccount(caller(), id, { active: true })).rejects.toMatchObject(refusal);
    await expect(accounts.createAccount(caller(), { ...STRIPE, active: true })).rejects.toMatchObject(refusal);
    expect(await accounts.updateAccount(caller(), id, { name: 'Cards' })).toMatchObject({ active: false });
    expect(await accounts.checkAccount(caller(), id)).toMatchObject({ ok: false, message: expect.stringMatching(why) });
  });

  test('needs a secret key, and takes effect at once', async () => {
    const accounts = withProvider(offering(async () => []));
    const { id } = await accounts.createAccount(caller(), { ...STRIPE, active: true });
    const cached = async () =>
      (await server.app.shops.get(shop.company_id)).paymentAccounts.find((one) => one.id === id);
    expect(await cached()).toMatchObject({ active: true, mode: 'test' });
    await accounts.updateAccount(caller(), id, { active: false });
    expect(await cached()).toMatchObject({ active: false });
  });
});

describe('a check', () => {
  test('asks Stripe and Mollie themselves', async () => {
    await fresh();
    const { clock } = server;
    const [stripe, mollie] = await Promise.all([startStripeDouble({ clock }), startMollieDouble({ clock })]);
    const accounts = withProvider(createProviders({ stripe: stripe.url, mollie: mollie.url }));
    const checked = async (input: PaymentAccountInput) => {
      const { id } = await accounts.createAccount(caller(), { ...input, active: true });
      return accounts.checkAccount(caller(), id);
    };
    const { secretKey, publishableKey } = stripe.account();
    const keys = { secret_key: secretKey, publishable_key: publishableKey };
    expect(await checked({ ...STRIPE, ...keys })).toMatchObject({ ok: true, message: null });
    expect(await checked({ ...MOLLIE, secret_key: mollie.account().secretKey })).toMatchObject({
      ok: true,
      message: null,
    });
    const refused = [await checked(STRIPE), await checked(MOLLIE)];
    expect(refused).toMatchObject([
      { ok: false, methods: [], message: expect.stringMatching(/^Stripe refuses the keys of the account: /) },
      { ok: false, methods: [], message: expect.stringMatching(/^Mollie refuses the keys of the account: /) },
    ]);
    expect(JSON.stringify(refused)).not.toMatch(/51ofTheShopsSecretKey|aKeyOfMollie/);
    await Promise.all([stripe.close(), mollie.close()]);
    const { id } = await accounts.createAccount(caller(), MOLLIE);
    expect(await accounts.checkAccount(caller(), id)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Mollie cannot be reached: /),
    });
  });

  const check = async (methods: (asked: Asked) => Promise<string[]>) => {
    const { id } = await create({ webhook_secret: 'whsec_one' });
    const result = await withProvider(offering(methods)).checkAccount(caller(), id);
    expect(result.id).toBe(id);
    return { ok: result.ok, methods: result.methods, message: result.message };
  };

  test('returns what the account offers', async () => {
    const asked: Asked[] = [];
    const result = await check(async (one) => {
      asked.push(one);
      return ['card', 'ideal'];
    });
    expect(result).toEqual({ ok: true, methods: ['card', 'ideal'], message: null });
    expect(asked).toMatchObject([
      { account: { mode: 'test', secretKey: SECRET }, currency: { code: 'USD', exponent: 2 } },
    ]);
  });

  test('returns why the service refuses, without secrets', async () => {
    const refused = await check(async () => {
      throw new AccountRefused(`Invalid API key ${SECRET}, whsec_one`);
    });
    expect(refused).toEqual({
      ok: false,
      methods: [],
      message: 'Stripe refuses the keys of the account: Invalid API key •••, •••',
    });
    const unavailable = await check(async () => {
      throw new ProviderUnavailable('ECONNREFUSED');
    });
    expect(unavailable).toEqual({ ok: false, methods: [], message: 'Stripe cannot be reached: ECONNREFUSED' });
  });

  test('throws what is no response of the service', async () => {
    const wrong = new TypeError('a fault of the program');
    await expect(check(() => Promise.reject(wrong))).rejects.toBe(wrong);
  });
});
