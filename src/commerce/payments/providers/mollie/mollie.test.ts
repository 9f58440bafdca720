import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { random, rounds, SEED } from '../../../../testing/random/seed.ts';
import { createTestClock } from '../../../../testing/test-clock.ts';
import type { CallFault } from '../../testing/faults.ts';
import { type MollieDouble, startMollieDouble } from '../../testing/mollie/double.ts';
import {
  AccountRefused,
  type AmountCall,
  type Asked,
  type ChargeCall,
  type Facts,
  type Outcome,
  type PaymentCall,
  type ProviderCurrency,
  ProviderUnavailable,
  type SoughtOperation,
  type StartCall,
  type Started,
} from '../provider.ts';
import { fromMollie, toMollie } from './amounts.ts';
import { createMollie } from './provider.ts';

const EUR = { code: 'EUR', exponent: 2 };
const JPY = { code: 'JPY', exponent: 0 };
const KWD = { code: 'KWD', exponent: 3 };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const clock = createTestClock();
let double: MollieDouble;
let receiver: Awaited<ReturnType<typeof receiveWebhooks>>;
let operations = 0;

beforeEach(async () => {
  receiver = await receiveWebhooks();
  // Calls without a response end when they are aborted.
  double = await startMollieDouble({ clock, hangMs: 60_000, maxPage: 3 });
});
afterEach(async () => {
  await double.close();
  receiver.close();
});

const mollie = () => createMollie({ url: double.url });
const account = () => double.account();
const asked = (currency: ProviderCurrency = EUR): Asked => ({
  account: account(),
  currency,
  signal: new AbortController().signal,
});

/** The parts of a call that all have, for an operation of its own. */
function call(over: Partial<StartCall> = {}): StartCall {
  operations += 1;
  return {
    ...asked(over.currency),
    operationId: operations,
    key: `tl_7_${operations}`,
    companyId: 7,
    paymentId: 40,
    amount: 1999,
    kind: 'creditcard',
    capture: 'at_once',
    description: 'Order 12',
    returnUrl: 'https://shop.example/return',
    webhookUrl: receiver.url,
    save: false,
    token: null,
    ...over,
  };
}

const paymentCall = (ref: string, over: Partial<StartCall> = {}): PaymentCall => ({ ...call(over), ref });
const amountCall = (ref: string, amount: number, over: Partial<StartCall> = {}): AmountCall => ({
  ...call(over),
  ref,
  amount,
});

function done<T>(outcome: Outcome<T>): T {
  if (outcome.kind !== 'done') throw new Error(`${outcome.kind}: ${JSON.stringify(outcome)}`);
  return outcome.value;
}

async function started(over: Partial<StartCall> = {}): Promise<Started & { ref: string }> {
  const { facts, next } = done(await mollie().start(call(over)));
  return { facts, next, ref: facts.ref };
}

async function paid(over: Partial<StartCall> = {}): Promise<string> {
  const { ref } = await started(over);
  double.buyer.pay(ref);
  return ref;
}

async function authorized(amount = 1999): Promise<string> {
  const { ref } = await started({ capture: 'later', amount });
  double.buyer.authorize(ref);
  return ref;
}

/** Pays with a card that is kept, and returns what charges it again. */
async function savedToken(over: Partial<StartCall> = {}): Promise<string> {
  const facts = await mollie().fetch(asked(), await paid({ save: true, ...over }));
  return facts.savedMethod!.token;
}

function chargeCall(token: string, over: Partial<StartCall> = {}): ChargeCall {
  return { ...call(over), token };
}

const fetched = (ref: string, currency?: ProviderCurrency): Promise<Facts> => mollie().fetch(asked(currency), ref);

/** What Mollie has of each payment, the oldest first. */
const books = () => [...double.books().values()];

/** Writes that reached the API, by method and path. */
const writes = () => double.calls.filter(({ method }) => method !== 'GET');

describe('start', () => {
  it('makes a payment that the buyer makes at a page', async () => {
    const asks = call();
    const { facts, next } = done(await mollie().start(asks));
    expect(facts).toEqual({
      ref: expect.stringMatching(/^tr_/),
      status: 'action_required',
      currency: 'EUR',
      amount: 1999,
      authorized: 0,
      captured: 0,
      refunds: [],
      disputes: [],
      cancelable: true,
      authorizedUntil: null,
      failure: null,
      declines: 0,
      savedMethod: null,
    });
    expect(next).toEqual({ type: 'redirect', url: double.url.replace('/v2/', `/checkout/${facts.ref}`) });
    expect(books()).toEqual([
      {
        status: 'open',
        currency: 'EUR',
        amount: 1999,
        captured: 0,
        refunded: 0,
        pending: 0,
        disputed: 0,
        metadata: { company: 7, payment: 40, operation: asks.operationId },
      },
    ]);
    expect(writes()).toMatchObject([{ method: 'POST', path: '/v2/payments', idempotencyKey: asks.key }]);
  });

  it.each([
    ['pay', 'at_once', { status: 'captured', captured: 1999, authorized: 1999 }],
    ['authorize', 'later', { status: 'authorized', captured: 0, authorized: 1999 }],
    ['fail', 'at_once', { status: 'failed', captured: 0, failure: { code: 'insufficient_funds' } }],
    ['cancel', 'at_once', { status: 'cancelled', captured: 0, failure: null }],
    ['leave', 'at_once', { status: 'action_required', captured: 0, failure: null }],
  ] as const)('has the buyer %s at the page and return', async (action, capture, expected) => {
    const { ref, next } = await started({ capture, description: 'Tea & <b>cake</b>' });
    const url = (next as { url: string }).url;
    const page = await (await fetch(url)).text();
    expect(page).toContain(`value="${action}"`);
    expect(page).toContain('Tea &#38; &#60;b&#62;cake');
    expect(page).toContain('19.99 EUR');
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([303, 'https://shop.example/return']);
    expect(await fetched(ref)).toMatchObject(expected);
    await double.webhooks.idle();
    expect(receiver.bodies).toEqual(action === 'leave' ? [] : [`id=${ref}`]);
  });

  it('offers all methods for the kind `any`, and the one that is named otherwise', async () => {
    const ref = await paid({ kind: 'any' });
    expect(await fetched(ref)).toMatchObject({ status: 'captured' });
    await started({ kind: 'ideal' });
    expect(await mollie().start(call({ kind: 'ideal', currency: { code: 'USD', exponent: 2 } }))).toMatchObject({
      kind: 'declined',
      code: 'method_unavailable',
      retry: false,
    });
    expect(await mollie().start(call({ kind: 'ideal', capture: 'later' }))).toMatchObject({
      kind: 'declined',
      code: 'method_unavailable',
    });
  });

  it.each([
    [EUR, 1, '0.01'],
    [EUR, 123_456, '1234.56'],
    [JPY, 500, '500'],
    // A shop can have other decimals than ISO 4217.
    [{ code: 'JPY', exponent: 2 }, 50_000, '500'],
    [{ code: 'EUR', exponent: 0 }, 20, '20.00'],
  ])('asks for amounts in %o as decimal text', async (currency, amount, value) => {
    const ref = await paid({ currency, amount });
    const response = await fetch(`${double.url}payments/${ref}`, {
      headers: { authorization: `Bearer ${account().secretKey}` },
    });
    expect(await response.json()).toMatchObject({ amount: { currency: currency.code, value } });
    expect(await fetched(ref, currency)).toMatchObject({ currency: currency.code, amount, captured: amount });
  });

  it('converts amounts with three decimals, which Mollie declines', async () => {
    expect(toMollie(12_345, KWD)).toEqual({ currency: 'KWD', value: '12.345' });
    expect(fromMollie({ currency: 'KWD', value: '12.345' }, KWD)).toBe(12_345);
    expect(await mollie().start(call({ currency: KWD }))).toEqual({
      kind: 'declined',
      code: 'other',
      message: 'The currency KWD is not supported.',
      retry: false,
    });
  });

  it('declines an amount that has more decimals than its currency, without asking Mollie', async () => {
    const outcome = await mollie().start(call({ currency: { code: 'JPY', exponent: 2 }, amount: 50_001 }));
    expect(outcome).toMatchObject({ kind: 'declined', code: 'other' });
    expect(double.calls).toEqual([]);
  });

  it('is declined above the limit of the method', async () => {
    expect(await mollie().start(call({ amount: 5_000_001 }))).toMatchObject({
      kind: 'declined',
      code: 'limit_exceeded',
    });
  });

  it('cuts a description that is too long', async () => {
    expect((await started({ description: 'x'.repeat(300) })).facts.status).toBe('action_required');
  });
});

describe('amounts', () => {
  it('that are no amounts are refused', () => {
    for (const value of ['', '-1.00', '1.234', '1e3', '90071992547409.93', 'NaN']) {
      expect(() => fromMollie({ currency: 'EUR', value }, EUR), value).toThrow(ProviderUnavailable);
    }
    expect(fromMollie({ currency: 'EUR', value: '10' }, EUR)).toBe(1000);
    expect(fromMollie({ currency: 'JPY', value: '10' }, EUR)).toBe(10);
  });
});

describe('a saved method', () => {
  it('is known once the buyer has paid, and is charged while the buyer is absent', async () => {
    const { ref } = await started({ save: true });
    expect((await fetched(ref)).savedMethod).toBeNull();
    double.buyer.pay(ref);
    const { savedMethod } = await fetched(ref);
    expect(savedMethod).toEqual({
      token: expect.stringMatching(/^cst_\w+\/mdt_\w+$/),
      label: 'Visa •••• 4242',
      brand: 'Visa',
      last4: '4242',
      expiresOn: '2030-12-31',
    });
    const facts = done(await mollie().charge(chargeCall(savedMethod!.token, { amount: 700 })));
    expect(facts).toMatchObject({ status: 'captured', captured: 700, savedMethod: null });
    expect(
      writes().map(({ path, idempotencyKey }) => [path, /^tl_7_\d+(_customer)?$/.test(idempotencyKey ?? '')]),
    ).toEqual([
      ['/v2/customers', true],
      ['/v2/payments', true],
      ['/v2/payments', true],
    ]);
  });

  it('of a bank account is charged by direct debit, which takes days', async () => {
    const facts = await fetched(await paid({ save: true, kind: 'ideal' }));
    expect(facts.savedMethod).toMatchObject({ label: 'SEPA •••• 0000', brand: null, expiresOn: null });
    const charged = done(await mollie().charge(chargeCall(facts.savedMethod!.token)));
    expect(charged).toMatchObject({ status: 'processing', captured: 0 });
    double.buyer.pay(charged.ref);
    expect(await fetched(charged.ref)).toMatchObject({ status: 'captured', captured: 1999 });
  });

  it.each([
    ['authentication_required', 'authentication_required', false],
    ['insufficient_funds', 'insufficient_funds', true],
    ['card_expired', 'expired_card', false],
    ['possible_fraud', 'fraud_suspected', false],
    ['refused_by_issuer', 'card_declined', true],
    ['invalid_card_type', 'method_unavailable', false],
    ['unknown_reason', 'other', false],
  ])('whose charge fails by %s is declined with %s', async (reason, code, retry) => {
    const token = await savedToken();
    double.dashboard.failNextCharge(reason);
    expect(await mollie().charge(chargeCall(token))).toEqual({
      kind: 'declined',
      code,
      message: `Declined: ${reason}`,
      retry,
    });
  });

  it('of a bank account fails days later, for a reason of SEPA', async () => {
    const charged = done(await mollie().charge(chargeCall(await savedToken({ kind: 'ideal' }))));
    double.buyer.fail(charged.ref, 'AM04');
    expect(await fetched(charged.ref)).toMatchObject({
      status: 'failed',
      captured: 0,
      failure: { code: 'insufficient_funds', message: 'Declined: AM04' },
    });
  });

  it('is offered on the page to a buyer who is there, and no mandate is used', async () => {
    const token = await savedToken();
    const { facts, next, ref } = await started({ token, kind: 'any', capture: 'later' });
    expect([facts.status, next?.type]).toEqual(['action_required', 'redirect']);
    expect(double.paymentOf({ operation: operations })).toMatchObject({
      sequenceType: 'oneoff',
      customerId: token.split('/')[0],
      mandateId: null,
      method: 'creditcard',
      manualCapture: true,
      redirectUrl: 'https://shop.example/return',
    });
    double.buyer.authorize(ref);
    expect(await fetched(ref)).toMatchObject({ status: 'authorized', savedMethod: null });
    const { ref: failed } = await started({ token });
    double.buyer.fail(failed, 'authentication_failed');
    expect(await fetched(failed)).toMatchObject({ status: 'failed', failure: { code: 'authentication_required' } });
  });

  it('of a bank account is charged by direct debit while the buyer is there too, once for its operation', async () => {
    const token = await savedToken({ kind: 'ideal' });
    const asks = call({ token, kind: 'ideal' });
    const { facts, next } = done(await mollie().start(asks));
    expect([facts.status, next]).toEqual(['processing', null]);
    expect(done(await mollie().start(asks)).facts.ref).toBe(facts.ref);
    expect(double.paymentOf({ operation: asks.operationId })).toMatchObject({ sequenceType: 'recurring' });
  });

  it('that was revoked or is unknown is declined', async () => {
    const ref = await paid({ save: true });
    const { savedMethod } = await fetched(ref);
    double.dashboard.revokeMandate(ref);
    const gone = { kind: 'declined', code: 'method_unavailable', retry: false };
    expect(await mollie().charge(chargeCall(savedMethod!.token))).toMatchObject(gone);
    expect((await fetched(ref)).savedMethod).toBeNull();
    expect(await mollie().charge(chargeCall('pm_123'))).toMatchObject(gone);
    const before = writes().length;
    for (const token of [savedMethod!.token, 'cst_unknown/mdt_unknown', 'pm_123']) {
      expect(await mollie().start(call({ token }))).toMatchObject(gone);
    }
    expect(writes()).toHaveLength(before);
  });

  it('is forgotten, also twice', async () => {
    const ref = await paid({ save: true });
    const { token } = (await fetched(ref)).savedMethod!;
    await mollie().forget(asked(), token);
    await mollie().forget(asked(), token);
    expect((await fetched(ref)).savedMethod).toBeNull();
    expect(await mollie().charge(chargeCall(token))).toMatchObject({ kind: 'declined' });
    await expect(mollie().forget(asked(), 'pm_123')).rejects.toThrow(ProviderUnavailable);
    double.dashboard.revokeKey();
    await expect(mollie().forget(asked(), token)).rejects.toThrow(ProviderUnavailable);
  });
});

describe('capture', () => {
  it('captures in parts and in full', async () => {
    const ref = await authorized();
    const before = await fetched(ref);
    expect(before.authorizedUntil).toEqual(new Date(clock.now().getTime() + 7 * DAY));
    expect(done(await mollie().capture(amountCall(ref, 500)))).toMatchObject({
      status: 'authorized',
      authorized: 1999,
      captured: 500,
      cancelable: true,
    });
    expect(done(await mollie().capture(amountCall(ref, 1499)))).toMatchObject({
      status: 'captured',
      authorized: 1999,
      captured: 1999,
      cancelable: false,
      authorizedUntil: null,
    });
    expect(await mollie().capture(amountCall(ref, 1))).toMatchObject({ kind: 'declined', code: 'other', retry: false });
  });

  it('is declined for more than is authorized', async () => {
    expect(await mollie().capture(amountCall(await authorized(), 2000))).toMatchObject({ kind: 'declined' });
  });

  it('does not count until it has succeeded, and is not found if it failed', async () => {
    double.delays.captureMs = DAY;
    const ref = await authorized();
    const asks = amountCall(ref, 1999);
    expect(done(await mollie().capture(asks))).toMatchObject({ status: 'authorized', captured: 0 });
    expect(await mollie().find(asked(), sought(asks, 'capture', ref))).toMatchObject({ facts: { captured: 0 } });
    double.dashboard.failCapture(ref);
    expect(await mollie().find(asked(), sought(asks, 'capture', ref))).toBe('not_found');
    expect(await fetched(ref)).toMatchObject({ status: 'authorized', captured: 0 });
  });
});

describe('cancel', () => {
  it('cancels an open payment, once', async () => {
    const { ref } = await started();
    const asks = paymentCall(ref);
    expect(done(await mollie().cancel(asks))).toMatchObject({ status: 'cancelled', cancelable: false });
    expect(done(await mollie().cancel(paymentCall(ref)))).toMatchObject({ status: 'cancelled' });
    expect(writes().filter(({ method }) => method === 'DELETE')).toMatchObject([{ idempotencyKey: asks.key }]);
  });

  it('is declined while the buyer may be paying, and after it', async () => {
    const { ref, facts } = await started({ kind: 'ideal' });
    expect(facts.cancelable).toBe(false);
    const declined = { kind: 'declined', code: 'other', message: 'The payment cannot be canceled.' };
    expect(await mollie().cancel(paymentCall(ref))).toMatchObject(declined);
    double.buyer.pay(ref);
    expect(await mollie().cancel(paymentCall(ref))).toMatchObject(declined);
  });

  it('releases an authorization', async () => {
    const ref = await authorized();
    const asks = paymentCall(ref);
    expect(done(await mollie().cancel(asks))).toMatchObject({ status: 'cancelled', authorized: 0, captured: 0 });
    expect(writes().at(-1)).toMatchObject({
      path: `/v2/payments/${ref}/release-authorization`,
      idempotencyKey: asks.key,
    });
  });

  it('releases what was not captured of an authorization', async () => {
    const ref = await authorized();
    done(await mollie().capture(amountCall(ref, 500)));
    const asks = paymentCall(ref);
    expect(done(await mollie().cancel(asks))).toMatchObject({ status: 'captured', captured: 500, authorized: 500 });
    expect(await mollie().find(asked(), sought(asks, 'cancel', ref))).toMatchObject({ facts: { captured: 500 } });
  });

  it('is done before the release has happened', async () => {
    double.delays.releaseMs = DAY;
    const ref = await authorized();
    const asks = paymentCall(ref);
    expect(done(await mollie().cancel(asks))).toMatchObject({ status: 'authorized' });
    expect(await mollie().find(asked(), sought(asks, 'cancel', ref))).toBe('not_found');
    clock.advance(DAY);
    expect(await mollie().find(asked(), sought(asks, 'cancel', ref))).toMatchObject({ facts: { status: 'cancelled' } });
  });
});

describe('refund', () => {
  it('refunds in parts, each with its operation', async () => {
    const ref = await paid();
    const first = amountCall(ref, 500);
    const second = amountCall(ref, 1499);
    done(await mollie().refund(first));
    expect(done(await mollie().refund(second))).toMatchObject({
      status: 'captured',
      captured: 1999,
      refunds: [
        { amount: 500, status: 'succeeded', operationId: first.operationId },
        { amount: 1499, status: 'succeeded', operationId: second.operationId },
      ],
    });
    expect(await mollie().refund(amountCall(ref, 1))).toMatchObject({ kind: 'declined', code: 'other' });
    expect(books()).toMatchObject([{ captured: 1999, refunded: 1999 }]);
  });

  it('is pending until the money is sent, and can fail late', async () => {
    double.delays.refundMs = 2 * DAY;
    const ref = await paid();
    const { refunds } = done(await mollie().refund(amountCall(ref, 500)));
    expect(refunds).toMatchObject([{ status: 'pending' }]);
    clock.advance(2 * DAY);
    expect((await fetched(ref)).refunds).toMatchObject([{ status: 'succeeded' }]);
    double.dashboard.failRefund(ref, refunds[0]!.ref);
    expect((await fetched(ref)).refunds).toMatchObject([{ status: 'failed', amount: 500 }]);
    expect(books()).toMatchObject([{ refunded: 0 }]);
  });
});

describe('the status of a refund', () => {
  it.each([
    ['queued', 'pending'],
    ['pending', 'pending'],
    ['processing', 'pending'],
    ['refunded', 'succeeded'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
  ] as const)('%s is %s', async (status, expected) => {
    double.delays.refundMs = DAY;
    const ref = await paid();
    double.dashboard.moveRefund(ref, double.dashboard.refund(ref, 300), status);
    expect((await fetched(ref)).refunds).toMatchObject([{ amount: 300, status: expected }]);
  });
});

describe('what happens at Mollie alone', () => {
  it('is seen: a refund, a chargeback and its reversal', async () => {
    const ref = await paid();
    double.dashboard.refund(ref, 300);
    const chargeback = double.dashboard.chargeBack(ref, 1000);
    expect(await fetched(ref)).toMatchObject({
      captured: 1999,
      refunds: [{ amount: 300, status: 'succeeded', operationId: null }],
      disputes: [{ ref: chargeback, amount: 1000, status: 'lost', respondBy: null }],
    });
    expect(books()).toMatchObject([{ refunded: 300, disputed: 1000 }]);
    double.dashboard.reverseChargeback(ref, chargeback);
    expect((await fetched(ref)).disputes).toMatchObject([{ amount: 1000, status: 'won' }]);
    expect(books()).toMatchObject([{ disputed: 0 }]);
  });

  it('is seen: an expired payment and an expired authorization', async () => {
    const open = (await started()).ref;
    double.dashboard.expire(open);
    expect(await fetched(open)).toMatchObject({ status: 'failed', failure: { code: 'other' }, cancelable: false });
    const byTime = (await started()).ref;
    clock.advance(HOUR);
    expect(await fetched(byTime)).toMatchObject({ status: 'failed' });
    const held = await authorized();
    double.dashboard.expireAuthorization(held);
    expect(await fetched(held)).toMatchObject({ status: 'failed', authorized: 0, authorizedUntil: null });
    const heldLong = await authorized();
    clock.advance(8 * DAY);
    expect(await fetched(heldLong)).toMatchObject({ status: 'failed', authorized: 0, authorizedUntil: null });
  });

  it('is seen: money after our cancellation', async () => {
    const { ref } = await started();
    done(await mollie().cancel(paymentCall(ref)));
    double.dashboard.succeedAfterCancellation(ref);
    expect(await fetched(ref)).toMatchObject({ status: 'captured', captured: 1999 });
    const held = await authorized();
    done(await mollie().cancel(paymentCall(held)));
    double.dashboard.succeedAfterCancellation(held);
    expect(await fetched(held)).toMatchObject({ status: 'authorized', authorized: 1999 });
  });

  it('is seen: money just before our cancellation', async () => {
    const { ref } = await started();
    double.dashboard.succeedBeforeCancellation(ref);
    expect(await mollie().cancel(paymentCall(ref))).toMatchObject({ kind: 'declined', code: 'other' });
    expect(await fetched(ref)).toMatchObject({ status: 'captured', captured: 1999 });
  });

  it('is seen: days of processing, then a failure', async () => {
    const { ref } = await started({ kind: 'banktransfer' });
    double.buyer.hold(ref);
    clock.advance(5 * DAY);
    expect(await fetched(ref)).toMatchObject({ status: 'processing', captured: 0, cancelable: true });
    double.buyer.fail(ref);
    expect(await fetched(ref)).toMatchObject({ status: 'failed', captured: 0 });
  });

  it('is seen: a partial capture, another amount, another currency', async () => {
    const held = await authorized();
    double.dashboard.capture(held, 700);
    expect(await fetched(held)).toMatchObject({ status: 'authorized', captured: 700 });
    const { ref } = await started();
    double.dashboard.changeAmount(ref, 1);
    double.buyer.pay(ref);
    expect(await fetched(ref)).toMatchObject({ amount: 1, captured: 1 });
    double.dashboard.changeCurrency(ref, 'JPY');
    expect(await fetched(ref)).toMatchObject({ currency: 'JPY', amount: 1, captured: 1 });
  });
});

function sought(
  { operationId: id, amount = 0 }: { operationId: number; amount?: number },
  kind: SoughtOperation['kind'],
  ref: string | null,
): SoughtOperation {
  return { id, kind, amount, ref, since: clock.now() };
}

describe('a key that was revoked', () => {
  it('makes each call uncertain, and the account refused', async () => {
    const ref = await authorized();
    const token = await savedToken();
    double.dashboard.revokeKey();
    const uncertain = { kind: 'uncertain', cause: 'Mollie: 401 Missing authentication, or failed to authenticate' };
    expect(await mollie().start(call())).toEqual(uncertain);
    expect(await mollie().start(call({ save: true }))).toEqual(uncertain);
    expect(await mollie().charge(chargeCall(token))).toEqual(uncertain);
    expect(await mollie().capture(amountCall(ref, 1))).toEqual(uncertain);
    expect(await mollie().cancel(paymentCall(ref))).toEqual(uncertain);
    expect(await mollie().refund(amountCall(ref, 1))).toEqual(uncertain);
    await expect(fetched(ref)).rejects.toThrow(new ProviderUnavailable(uncertain.cause));
    await expect(mollie().find(asked(), sought(call(), 'start', null))).rejects.toThrow(ProviderUnavailable);
    await expect(mollie().methods(asked())).rejects.toThrow(AccountRefused);
    double.dashboard.restoreKey();
    expect(await mollie().methods(asked())).toContain('ideal');
  });

  it('is in no error, even where it is no HTTP header', async () => {
    const secretKey = 'test_secret\nkey';
    const outcome = await mollie().start({ ...call(), account: { ...account(), secretKey } });
    expect(outcome.kind).toBe('uncertain');
    expect(JSON.stringify(outcome)).not.toContain('test_secret');
    await expect(mollie().fetch({ ...asked(), account: { ...account(), secretKey } }, 'tr_1')).rejects.not.toThrow(
      /test_secret/,
    );
  });
});

describe('methods', () => {
  it('are those of the account', async () => {
    expect(await mollie().methods(asked())).toEqual(
      expect.arrayContaining(['ideal', 'creditcard', 'banktransfer', 'directdebit', 'paypal']),
    );
  });
});

describe('faults of calls', () => {
  /** Causes the fault at the next call, and ends the waiting for it once it has happened. */
  async function failing<T>(fault: CallFault, asks: { signal: AbortSignal }, run: () => Promise<T>): Promise<T> {
    const before = double.faults.happened[fault];
    const caller = new AbortController();
    asks.signal = caller.signal;
    double.failNext(fault);
    const result = run();
    result.catch(() => undefined);
    await expect.poll(() => double.faults.happened[fault]).toBe(before + 1);
    if (fault.startsWith('time_out')) caller.abort();
    return result;
  }

  /** Each write, for a payment or method that is ready for it. */
  const WRITES = {
    start: async () => {
      const asks = call();
      return { asks, ref: null, run: () => mollie().start(asks) };
    },
    charge: async () => {
      const asks = chargeCall(await savedToken());
      return { asks, ref: null, run: () => mollie().charge(asks) };
    },
    capture: async () => {
      const ref = await authorized();
      const asks = amountCall(ref, 500);
      return { asks, ref, run: () => mollie().capture(asks) };
    },
    refund: async () => {
      const ref = await paid();
      const asks = amountCall(ref, 500);
      return { asks, ref, run: () => mollie().refund(asks) };
    },
  } satisfies Partial<Record<SoughtOperation['kind'], unknown>>;
  const KINDS = Object.keys(WRITES) as (keyof typeof WRITES)[];
  const ALL = KINDS.flatMap((kind) =>
    (
      [
        ['time_out_before', false],
        ['time_out_after', true],
        ['conflict_409', false],
        ['rate_limit_429', false],
        ['cut_body', true],
      ] as const
    ).map(([fault, happened]) => [kind, fault, happened] as const),
  );

  it.each(ALL)(
    '%s is uncertain after %s, and is then found if it happened (%s) and done once',
    async (kind, fault, happened) => {
      const { asks, ref, run } = await WRITES[kind]();
      expect(await failing<unknown>(fault, asks, run)).toEqual({
        kind: 'uncertain',
        cause: expect.stringMatching(/^Mollie: /),
      });

      const found = await mollie().find(asked(), sought(asks, kind, ref));
      if (happened) expect(found).toMatchObject({ facts: { currency: 'EUR' } });
      else expect(found).toBe('not_found');

      const count = double.books().size;
      asks.signal = new AbortController().signal;
      done<unknown>(await run());
      done<unknown>(await run());
      expect(await mollie().find(asked(), sought(asks, kind, ref))).not.toBe('not_found');
      expect(books()).toHaveLength(happened || ref !== null ? count : count + 1);
      if (kind === 'capture') expect(books().at(-1)).toMatchObject({ captured: 500 });
      if (kind === 'refund') expect(books().at(-1)).toMatchObject({ refunded: 500 });
    },
  );

  it.each(KINDS)(
    '%s that ends in a 500 is tried again by the SDK with our key, which Mollie remembers for an hour',
    async (kind) => {
      const { asks, ref, run } = await WRITES[kind]();
      const before = writes().length;
      double.failNext('error_500');
      expect(await run()).toEqual({ kind: 'uncertain', cause: 'Mollie: 500 Internal server error' });
      expect(await run()).toMatchObject({ kind: 'uncertain' });
      expect(
        new Set(
          writes()
            .slice(before)
            .map(({ idempotencyKey }) => idempotencyKey),
        ),
      ).toEqual(new Set([asks.key]));
      expect(writes().length).toBe(before + 6);
      expect(await mollie().find(asked(), sought(asks, kind, ref))).toBe('not_found');
      clock.advance(HOUR);
      if (kind === 'start' || kind === 'charge') done<unknown>(await run());
      expect(mollie().keyLifetimeMs).toBe(HOUR);
    },
  );

  it('a cancellation is uncertain after each of them, and is then found if it happened', async () => {
    for (const fault of ['time_out_after', 'cut_body'] as const) {
      for (const ref of [(await started()).ref, await authorized()]) {
        const asks = paymentCall(ref);
        const caller = new AbortController();
        asks.signal = caller.signal;
        // The payment is read before it is cancelled.
        double.beforeCall = ({ method }) => {
          if (method === 'GET') return;
          double.failNext(fault);
          double.beforeCall = null;
        };
        const happened = double.faults.happened[fault];
        const cancelled = mollie().cancel(asks);
        await expect.poll(() => double.faults.happened[fault]).toBe(happened + 1);
        if (fault === 'time_out_after') caller.abort();
        expect(await cancelled).toMatchObject({ kind: 'uncertain' });
        expect(await mollie().find(asked(), sought(asks, 'cancel', ref))).toMatchObject({
          facts: { status: 'cancelled' },
        });
      }
    }
  });

  it('reading fails as unavailable, and a missing payment too', async () => {
    const { ref } = await started();
    for (const fault of ['time_out_before', 'conflict_409', 'rate_limit_429', 'cut_body'] as const) {
      const asks = asked();
      await expect(
        failing(fault, asks, () => mollie().fetch(asks, ref)),
        fault,
      ).rejects.toThrow(ProviderUnavailable);
      const finding = failing(fault, asks, () => mollie().find(asks, sought(call(), 'start', null)));
      await expect(finding, fault).rejects.toThrow(ProviderUnavailable);
    }
    double.failNext('error_500', 2);
    expect((await fetched(ref)).status).toBe('action_required');
    await expect(fetched('tr_unknown')).rejects.toThrow(
      new ProviderUnavailable('Mollie: 404 No payment exists with token tr_unknown.'),
    );
  });

  it('a server that is not there, or is not Mollie, is uncertain', async () => {
    const { port } = receiver;
    for (const url of ['http://127.0.0.1:1/v2/', `http://127.0.0.1:${port}/v2/`]) {
      const other = createMollie({ url });
      expect(await other.start(call())).toMatchObject({ kind: 'uncertain' });
      await expect(other.fetch(asked(), 'tr_1')).rejects.toThrow(ProviderUnavailable);
    }
  });

  it('a call ends in time without being aborted', async () => {
    double.failNext('time_out_before');
    const asks = call();
    const outcome = await createMollie({ url: double.url, timeoutMs: 200 }).start(asks);
    expect(outcome).toEqual({ kind: 'uncertain', cause: 'Mollie: no response in time' });
    // So does the pause of the SDK before it tries a 5xx again.
    const slow = await startSlow();
    const began = performance.now();
    const paused = createMollie({ url: slow.url, timeoutMs: 200 });
    expect(await paused.start(asks)).toEqual({ kind: 'uncertain', cause: 'Mollie: no response in time' });
    expect(performance.now() - began).toBeLessThan(5_000);
    slow.close();
  });

  it('an aborted call is not sent', async () => {
    const asks = call();
    asks.signal = AbortSignal.abort();
    expect(await mollie().start(asks)).toEqual({ kind: 'uncertain', cause: 'Mollie: no response in time' });
    expect(double.calls).toEqual([]);
  });
});

describe('faults by chance', () => {
  it.each(Array.from({ length: rounds(5, 100) }, (_, round) => round))(
    'lose and repeat nothing (round %i)',
    async (round) => {
      await double.close();
      const chances = {
        time_out_before: 0.06,
        time_out_after: 0.06,
        error_500: 0.03,
        conflict_409: 0.06,
        rate_limit_429: 0.06,
        cut_body: 0.06,
      };
      double = await startMollieDouble({ clock, seed: SEED + round, chances, hangMs: 5, maxPage: 3 });
      const choose = random(round);
      const expected = new Map<string, { captured: number; refunded: number }>();

      for (let i = 0; i < 12; i += 1) {
        const later = choose(2) === 0;
        const start = call({
          amount: 1000 + choose(9000),
          capture: later ? 'later' : 'at_once',
          save: choose(4) === 0,
        });
        const { ref } = (await insist('start', null, start, (key) => mollie().start({ ...start, key }))).facts;
        if (later) double.buyer.authorize(ref);
        else double.buyer.pay(ref);
        const sums = { captured: later ? 0 : start.amount, refunded: 0 };
        expected.set(ref, sums);
        if (later) {
          const capture = amountCall(ref, 1 + choose(start.amount - 1));
          await insist('capture', ref, capture, (key) => mollie().capture({ ...capture, key }));
          sums.captured += capture.amount;
          const cancel = paymentCall(ref);
          if (choose(2) === 0) await insist('cancel', ref, cancel, (key) => mollie().cancel({ ...cancel, key }));
        }
        const refund = amountCall(ref, 1 + choose(sums.captured));
        await insist('refund', ref, refund, (key) => mollie().refund({ ...refund, key }));
        sums.refunded += refund.amount;
      }

      double.faults.stop();
      expect([...double.books()].map(([ref, { captured, refunded }]) => [ref, { captured, refunded }])).toEqual([
        ...expected,
      ]);
      for (const [ref, sums] of expected) {
        const { captured, refunds } = await fetched(ref);
        expect({ captured, refunded: refunds.reduce((sum, { amount }) => sum + amount, 0) }).toEqual(sums);
      }
      expect(Object.values(double.faults.happened).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(5);
    },
  );

  /** Tries, looks up and tries again until it is done: with the next key once the call was looked up three times in vain. */
  async function insist<T extends Facts | Started>(
    kind: SoughtOperation['kind'],
    ref: string | null,
    asks: StartCall | AmountCall | PaymentCall,
    run: (key: string) => Promise<Outcome<T>>,
  ): Promise<Started> {
    const operation = sought(asks, kind, ref);
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const outcome = await run(attempt < 3 ? asks.key : `${asks.key}_${Math.floor(attempt / 3) + 1}`);
      if (outcome.kind === 'declined') throw new Error(`${kind} was declined: ${outcome.message}`);
      if (outcome.kind === 'done')
        return 'facts' in outcome.value ? outcome.value : { facts: outcome.value, next: null };
      const found = await lookUp(operation);
      if (found !== 'not_found') return found;
    }
    throw new Error(`${kind} is still unknown`);
  }

  async function lookUp(operation: SoughtOperation): Promise<Started | 'not_found'> {
    for (;;) {
      try {
        return await mollie().find(asked(), operation);
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error;
      }
    }
  }
});

describe('find', () => {
  it('reads on until the payments are older than the operation', async () => {
    const old = call();
    const { ref } = done(await mollie().start(old)).facts;
    for (let i = 0; i < 6; i += 1) await started({ kind: 'any' });
    const since = clock.now();
    expect(await mollie().find(asked(), sought(old, 'start', null))).toMatchObject({
      facts: { ref },
      next: { type: 'redirect' },
    });
    const pages = () => double.calls.filter(({ path }) => path.startsWith('/v2/payments?'));
    expect(pages()).toHaveLength(3);
    clock.advance(DAY);
    const later = { ...sought(old, 'start', null), since: clock.now() };
    expect(await mollie().find(asked(), later)).toBe('not_found');
    expect(pages()).toHaveLength(4);
    expect(await mollie().find(asked(), { ...later, since: new Date(since.getTime() + 60_000) })).not.toBe('not_found');
  });

  it('finds nothing of an operation on a payment that is not known', async () => {
    expect(await mollie().find(asked(), sought(call(), 'refund', null))).toBe('not_found');
    expect(double.calls).toEqual([]);
  });
});

describe('webhooks', () => {
  const read = (body: string) => mollie().readWebhook(Buffer.from(body), {}, { secrets: [], now: clock.now() });

  it('name a payment, and none suppresses a later one', () => {
    const first = read('id=tr_5B8cwPMGnU');
    const second = read('id=tr_5B8cwPMGnU');
    expect([first?.ref, second?.ref]).toEqual(['tr_5B8cwPMGnU', 'tr_5B8cwPMGnU']);
    expect(first?.dedupeKey).not.toBe(second?.dedupeKey);
  });

  it.each([
    '',
    'id=',
    'id=ord_1',
    'id=tr_',
    'id=tr_1/../x',
    '{"id":"tr_1"}',
    'x=tr_1',
    `id=tr_${'a'.repeat(65)}`,
    '\u0000\u00ff',
  ])('are not of Mollie: %j', (body) => {
    expect(read(body)).toBeNull();
  });

  it('are sent for what Mollie documents: not for a part that is captured, and not for a reversal', async () => {
    double.delays.refundMs = DAY;
    const ref = await authorized();
    await double.webhooks.idle();
    receiver.bodies.length = 0;
    done(await mollie().capture(amountCall(ref, 500)));
    await double.webhooks.idle();
    expect(receiver.bodies).toHaveLength(0);
    done(await mollie().cancel(paymentCall(ref)));
    done(await mollie().refund(amountCall(ref, 100)));
    await double.webhooks.idle();
    expect(receiver.bodies).toHaveLength(1);
    clock.advance(DAY);
    double.tick();
    const chargeback = double.dashboard.chargeBack(ref, 100);
    await double.webhooks.idle();
    expect(receiver.bodies).toEqual([`id=${ref}`, `id=${ref}`, `id=${ref}`]);
    double.dashboard.reverseChargeback(ref, chargeback);
    await double.webhooks.idle();
    expect(receiver.bodies).toHaveLength(3);
    expect((await fetched(ref)).disputes).toMatchObject([{ status: 'won' }]);
  });

  it('are sent for each change, and arrive late, twice, never, out of order, or from somebody else', async () => {
    const { ref } = await started();
    const changes = [
      () => double.buyer.pay(ref),
      () => double.dashboard.refund(ref, 100),
      () => double.dashboard.chargeBack(ref, 100),
    ];
    double.failNext('duplicated');
    changes[0]!();
    await double.webhooks.idle();
    expect(receiver.bodies).toEqual([`id=${ref}`, `id=${ref}`]);
    double.failNext('lost');
    changes[1]!();
    await double.webhooks.idle();
    expect(receiver.bodies).toHaveLength(2);
    double.failNext('delayed');
    changes[2]!();
    await double.webhooks.idle();
    expect([receiver.bodies.length, double.webhooks.held]).toEqual([2, 1]);
    await double.webhooks.release();
    expect(receiver.bodies).toHaveLength(3);

    const [one, two] = [(await started()).ref, (await started()).ref];
    double.failNext('reordered');
    double.buyer.pay(one);
    double.buyer.pay(two);
    await double.webhooks.idle();
    expect(receiver.bodies.slice(-2)).toEqual([`id=${two}`, `id=${one}`]);

    double.failNext('forged');
    double.dashboard.chargeBack(two);
    await double.webhooks.idle();
    expect(receiver.bodies.slice(-2)).toEqual([`id=${two}forged`, `id=${two}`]);
    await expect(fetched(`${two}forged`)).rejects.toThrow(ProviderUnavailable);
    expect(receiver.bodies.map((body) => read(body)?.ref)).not.toContain(undefined);
  });
});

/** A server that asks to be tried again in ten seconds. */
async function startSlow() {
  const server = createServer((_, response) => {
    response.writeHead(503, { 'retry-after': '10' }).end('{"status":503}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`, close: () => server.close() };
}

/** A server that is not Mollie, and takes its webhooks. */
async function receiveWebhooks() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks).toString('utf8'));
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/payments/webhooks/token`,
    bodies,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
