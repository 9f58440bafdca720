import { afterEach, describe, expect, it } from 'vitest';
import { random, rounds } from '../../../../testing/random/seed.ts';
import { createTestClock } from '../../../../testing/test-clock.ts';
import { CALL_FAULTS, type CallFault } from '../../testing/faults.ts';
import { type StripeDouble, startStripeDouble } from '../../testing/stripe/double.ts';
import {
  AccountRefused,
  type AmountCall,
  type ChargeCall,
  type Facts,
  type Outcome,
  type ProviderCurrency,
  ProviderUnavailable,
  type SoughtOperation,
  type StartCall,
  type Started,
} from '../provider.ts';
import { createStripe } from './provider.ts';

const USD = { code: 'USD', exponent: 2 };
const DAY_MS = 86_400_000;
const doubles: StripeDouble[] = [];

afterEach(async () => {
  for (const double of doubles.splice(0)) await double.close();
});

/** A double, and the provider that calls it as one shop. Operations have ids from 1. */
async function shop(options: Partial<Parameters<typeof startStripeDouble>[0]> = {}) {
  const clock = createTestClock();
  const double = await startStripeDouble({ clock, ...options });
  doubles.push(double);
  const stripe = createStripe({ url: double.url });
  const since = clock.now();
  let operations = 0;
  const asked = (currency: ProviderCurrency = USD) => ({
    account: double.account(),
    currency,
    signal: AbortSignal.timeout(5_000),
  });
  const base = (currency: ProviderCurrency = USD) => {
    operations += 1;
    return { ...asked(currency), operationId: operations, key: `tl_7_${operations}` };
  };
  const about = { companyId: 7, paymentId: 70, description: 'Order 1', webhookUrl: 'https://shop.example/hook' };
  const startCall = (amount: number, other: Partial<StartCall> = {}): StartCall => ({
    ...base(other.currency),
    ...about,
    amount,
    kind: 'any',
    capture: 'at_once',
    returnUrl: 'https://shop.example/back',
    save: false,
    token: null,
    ...other,
  });
  const chargeCall = (amount: number, token: string): ChargeCall => ({ ...base(), ...about, amount, token });
  const amountCall = (ref: string, amount: number, currency = USD): AmountCall => ({ ...base(currency), ref, amount });
  const sought = (kind: SoughtOperation['kind'], call: { operationId: number }, ref: string | null = null) =>
    stripe.find(asked(), { id: call.operationId, kind, amount: 0, ref, since });
  const fetch = (ref: string, currency = USD) => stripe.fetch(asked(currency), ref);

  /** A payment by a method of Stripe's for tests; the buyer has confirmed it. */
  async function paid(amount: number, method = 'pm_card_visa', other: Partial<StartCall> = {}): Promise<string> {
    const { facts, next } = done(await stripe.start(startCall(amount, other)));
    await double.buyer.confirm(secretOf(next), method);
    return facts.ref;
  }

  return { clock, double, stripe, asked, startCall, chargeCall, amountCall, sought, fetch, paid };
}

function done<T>(outcome: Outcome<T>): T {
  if (outcome.kind !== 'done') throw new Error(`It is not done: ${JSON.stringify(outcome)}`);
  return outcome.value;
}

function secretOf(next: Started['next']): string {
  if (next?.type !== 'client_secret') throw new Error('There is no client secret');
  return next.clientSecret;
}

describe('an account', () => {
  it('offers the methods whose capabilities are active', async () => {
    const { stripe, asked } = await shop();
    expect(await stripe.methods(asked())).toEqual(['any', 'card', 'link', 'us_bank_account']);
  });

  it('is refused with a revoked key, and with a key of the other mode', async () => {
    const { stripe, asked, double } = await shop();
    await expect(stripe.methods({ ...asked(), account: { ...double.account(), mode: 'live' } })).rejects.toThrow(
      AccountRefused,
    );
    double.revokeKey();
    const refused = await stripe.methods(asked()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AccountRefused);
    expect(String(refused)).not.toContain('sk_test');
  });

  it('is unavailable while Stripe cannot be reached', async () => {
    const { stripe, asked, double } = await shop();
    await double.close();
    doubles.splice(0);
    await expect(stripe.methods(asked())).rejects.toThrow(ProviderUnavailable);
    await expect(stripe.fetch(asked(), 'pi_1')).rejects.toThrow(ProviderUnavailable);
  });
});

describe('a payment that is captured at once', () => {
  it('waits for the buyer with its client secret, and is captured when the buyer has confirmed', async () => {
    const { stripe, startCall, double, fetch, sought } = await shop();
    const call = startCall(4_250);
    const { facts, next } = done(await stripe.start(call));
    expect(facts).toEqual({
      ref: 'pi_00000001',
      status: 'action_required',
      currency: 'USD',
      amount: 4_250,
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
    expect(double.intentOf({ tl_operation: '1' })).toMatchObject({
      metadata: { tl_company: '7', tl_payment: '70', tl_operation: '1' },
      automatic_payment_methods: { enabled: true },
      capture_method: 'automatic',
      description: 'Order 1',
      customer: null,
    });
    expect(double.calls).toEqual([{ method: 'POST', path: '/v1/payment_intents', key: 'tl_7_1' }]);
    expect(await double.buyer.confirm(secretOf(next), 'pm_card_visa')).toBe('succeeded');
    const after = { status: 'captured', authorized: 4_250, captured: 4_250, cancelable: false };
    expect(await fetch(facts.ref)).toEqual({ ...facts, ...after });
    expect(await sought('start', call)).toEqual({ facts: { ...facts, ...after }, next: null });
  });

  it('shows the state of now when its start is repeated', async () => {
    const { stripe, startCall, double } = await shop();
    const call = startCall(4_250, { save: true });
    const { facts, next } = done(await stripe.start(call));
    await double.buyer.confirm(secretOf(next), 'pm_card_visa');
    double.dashboard.refund(facts.ref, 50);
    expect(done(await stripe.start(call))).toMatchObject({
      facts: { ref: facts.ref, status: 'captured', captured: 4_250, refunds: [{ amount: 50 }] },
      next: null,
    });
    expect(double.books().size).toBe(1);
  });

  it('is limited to one method where one is named', async () => {
    const { stripe, startCall, double } = await shop();
    done(await stripe.start(startCall(100, { kind: 'card' })));
    expect(double.intentOf({})).toMatchObject({
      allowed_payment_method_types: ['card'],
      automatic_payment_methods: null,
    });
    expect(await stripe.start(startCall(100, { kind: 'ideal' }))).toMatchObject({
      kind: 'declined',
      code: 'method_unavailable',
      retry: false,
    });
  });

  it('is declined where Stripe does not take the amount', async () => {
    const { stripe, startCall } = await shop();
    expect(await stripe.start(startCall(100_000_000))).toMatchObject({
      kind: 'declined',
      code: 'limit_exceeded',
      retry: false,
    });
  });

  it.each([
    ['pm_card_chargeDeclined', 'card_declined'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
    ['pm_card_chargeDeclinedFraudulent', 'fraud_suspected'],
    ['pm_card_chargeDeclinedStolenCard', 'fraud_suspected'],
    ['pm_card_visa_chargeDeclinedVelocityLimitExceeded', 'limit_exceeded'],
    ['pm_card_chargeDeclinedProcessingError', 'other'],
  ])('waits for another attempt of the buyer after a decline: %s is %s', async (method, code) => {
    const { stripe, startCall, double, fetch } = await shop();
    const { facts, next } = done(await stripe.start(startCall(900)));
    expect(await double.buyer.confirm(secretOf(next), method)).toBe('requires_payment_method');
    const declined = await fetch(facts.ref);
    expect(declined).toMatchObject({ status: 'action_required', authorized: 0, failure: { code } });
    expect(declined.failure?.message).not.toBe('');
    await double.buyer.confirm(secretOf(next), 'pm_card_visa');
    expect(await fetch(facts.ref)).toMatchObject({ status: 'captured', captured: 900, failure: null });
  });

  it('is authenticated by 3-D Secure, and fails without', async () => {
    const { stripe, startCall, double, fetch } = await shop();
    const { facts, next } = done(await stripe.start(startCall(900)));
    const confirm = () => double.buyer.confirm(secretOf(next), 'pm_card_authenticationRequired');
    expect(await confirm()).toBe('requires_action');
    expect(await fetch(facts.ref)).toMatchObject({ status: 'action_required', failure: null, cancelable: true });
    double.buyer.completeChallenge(facts.ref, 'failed');
    expect(await fetch(facts.ref)).toMatchObject({
      status: 'action_required',
      failure: { code: 'authentication_required' },
    });
    await confirm();
    double.buyer.completeChallenge(facts.ref, 'passed');
    expect(await fetch(facts.ref)).toMatchObject({ status: 'captured', captured: 900 });
  });

  it('is processed for days, and then fails or succeeds', async () => {
    const { paid, double, fetch } = await shop();
    const failing = await paid(900, 'pm_usBankAccount_processing');
    expect(await fetch(failing)).toMatchObject({ status: 'processing', authorized: 0, captured: 0, cancelable: false });
    double.dashboard.settleProcessing(failing, 'failed');
    expect(await fetch(failing)).toMatchObject({ status: 'action_required', failure: { code: 'insufficient_funds' } });
    const succeeding = await paid(901, 'pm_usBankAccount_processing');
    double.dashboard.settleProcessing(succeeding, 'succeeded');
    expect(await fetch(succeeding)).toMatchObject({ status: 'captured', authorized: 901, captured: 901 });
  });

  it('shows a changed amount', async () => {
    const { stripe, startCall, double, fetch } = await shop();
    const { facts, next } = done(await stripe.start(startCall(900)));
    double.dashboard.changeAmount(facts.ref, 90);
    await double.buyer.confirm(secretOf(next), 'pm_card_visa');
    expect(await fetch(facts.ref)).toMatchObject({ status: 'captured', amount: 90, captured: 90 });
  });
});

describe('a payment that is captured later', () => {
  const later = { capture: 'later' } as const;

  it('is authorized for seven days, and captured once', async () => {
    const { stripe, paid, amountCall, fetch, sought, clock, double } = await shop();
    const ref = await paid(5_000, 'pm_card_visa', later);
    const authorizedUntil = new Date(clock.now().getTime() + 7 * DAY_MS);
    const authorized = { status: 'authorized', authorized: 5_000, captured: 0, authorizedUntil, cancelable: true };
    expect(await fetch(ref)).toMatchObject(authorized);
    const call = amountCall(ref, 5_000);
    expect(await sought('capture', call, ref)).toBe('not_found');
    const captured = { status: 'captured', authorized: 5_000, captured: 5_000, authorizedUntil: null, refunds: [] };
    expect(done(await stripe.capture(call))).toMatchObject(captured);
    expect(await sought('capture', call, ref)).toMatchObject({ facts: captured });
    expect(await stripe.capture(amountCall(ref, 5_000))).toMatchObject({ kind: 'declined', retry: false });
    expect(double.books().get(ref)).toMatchObject({ captured: 5_000, refunded: 0, status: 'succeeded' });
  });

  it('is captured in part, here or in the dashboard, and the rest is no refund', async () => {
    const { stripe, paid, amountCall, fetch, double } = await shop();
    const here = await paid(5_000, 'pm_card_visa', later);
    expect(await stripe.capture(amountCall(here, 5_001))).toMatchObject({ kind: 'declined', code: 'limit_exceeded' });
    expect(done(await stripe.capture(amountCall(here, 3_000)))).toMatchObject({ captured: 3_000, refunds: [] });
    const there = await paid(5_000, 'pm_card_visa', later);
    double.dashboard.capture(there, 1_234);
    for (const [ref, captured] of [
      [here, 3_000],
      [there, 1_234],
    ] as const) {
      expect(await fetch(ref)).toMatchObject({ status: 'captured', authorized: captured, captured, refunds: [] });
    }
    // A real refund of the same amount as the rest counts.
    const refunded = done(await stripe.refund(amountCall(here, 2_000)));
    expect(refunded.refunds).toMatchObject([{ amount: 2_000, status: 'succeeded' }]);
  });

  it('is cancelled, which releases the money', async () => {
    const { stripe, paid, amountCall, sought, fetch } = await shop();
    const ref = await paid(5_000, 'pm_card_visa', later);
    const call = amountCall(ref, 5_000);
    expect(await sought('cancel', call, ref)).toBe('not_found');
    const cancelled = {
      status: 'cancelled',
      authorized: 0,
      captured: 0,
      refunds: [],
      cancelable: false,
      authorizedUntil: null,
    };
    expect(done(await stripe.cancel(call))).toMatchObject(cancelled);
    expect(await fetch(ref)).toMatchObject(cancelled);
    expect(await sought('cancel', call, ref)).toMatchObject({ facts: cancelled });
    expect(await stripe.capture(amountCall(ref, 5_000))).toMatchObject({ kind: 'declined', retry: false });
    // Another cancellation has nothing left to do.
    expect(done(await stripe.cancel(amountCall(ref, 0)))).toMatchObject(cancelled);
  });

  it('ends with its authorization', async () => {
    const { stripe, paid, amountCall, fetch, clock, double } = await shop();
    const ref = await paid(5_000, 'pm_card_visa', later);
    const early = await paid(5_000, 'pm_card_visa', later);
    double.dashboard.expireAuthorization(early);
    expect(await fetch(early)).toMatchObject({ status: 'cancelled', authorized: 0, refunds: [] });
    clock.advance(7 * DAY_MS - 1_000);
    expect(await fetch(ref)).toMatchObject({ status: 'authorized' });
    clock.advance(1_000);
    expect(await fetch(ref)).toMatchObject({ status: 'cancelled', authorized: 0, refunds: [] });
    expect(await stripe.capture(amountCall(ref, 5_000))).toMatchObject({ kind: 'declined' });
  });

  it('is not cancelled if the money came first', async () => {
    const { stripe, startCall, amountCall, double, paid, fetch } = await shop();
    const { ref } = done(await stripe.start(startCall(700))).facts;
    double.dashboard.succeedBeforeCancel(ref);
    expect(await stripe.cancel(amountCall(ref, 0))).toMatchObject({ kind: 'declined', retry: false });
    expect(await fetch(ref)).toMatchObject({ status: 'captured', captured: 700 });
    const processing = await paid(700, 'pm_usBankAccount_processing');
    expect(await stripe.cancel(amountCall(processing, 0))).toMatchObject({ kind: 'declined' });
  });
});

describe('refunds', () => {
  it('are made in part until nothing is left', async () => {
    const { stripe, paid, amountCall, sought, double } = await shop();
    const ref = await paid(1_000);
    const first = amountCall(ref, 300);
    expect(await sought('refund', first, ref)).toBe('not_found');
    const one = { ref: 're_00000001', amount: 300, status: 'succeeded', operationId: first.operationId };
    expect(done(await stripe.refund(first)).refunds).toEqual([one]);
    expect(await sought('refund', first, ref)).toMatchObject({ facts: { refunds: [one] } });
    expect(await stripe.refund(amountCall(ref, 701))).toMatchObject({ kind: 'declined', retry: false });
    expect(done(await stripe.refund(amountCall(ref, 700))).refunds).toHaveLength(2);
    expect(await stripe.refund(amountCall(ref, 1))).toMatchObject({ kind: 'declined', retry: false });
    expect(double.books().get(ref)).toMatchObject({ captured: 1_000, refunded: 1_000 });
  });

  it('are pending, succeed, and fail late', async () => {
    const { stripe, paid, amountCall, fetch, double } = await shop();
    const ref = await paid(1_000);
    double.dashboard.pendRefunds(true);
    const [pending] = done(await stripe.refund(amountCall(ref, 400))).refunds;
    expect(pending).toMatchObject({ status: 'pending', amount: 400 });
    for (const status of ['succeeded', 'failed'] as const) {
      double.dashboard.settleRefund(pending!.ref, status);
      expect((await fetch(ref)).refunds).toEqual([{ ...pending, status }]);
    }
    expect(double.books().get(ref)).toMatchObject({ refunded: 0, pending: 0 });
    // The money can be given back again.
    double.dashboard.pendRefunds(false);
    expect(done(await stripe.refund(amountCall(ref, 1_000))).refunds).toHaveLength(2);
  });

  it('made in the dashboard have no operation', async () => {
    const { paid, fetch, double } = await shop();
    const ref = await paid(1_000);
    double.dashboard.refund(ref, 250);
    expect((await fetch(ref)).refunds).toMatchObject([{ amount: 250, status: 'succeeded', operationId: null }]);
  });

  it('are listed over all pages', async () => {
    const { paid, fetch, double, stripe, amountCall, sought } = await shop({ maxPage: 10 });
    const ref = await paid(1_000);
    const call = amountCall(ref, 7);
    done(await stripe.refund(call));
    for (let i = 0; i < 25; i += 1) double.dashboard.refund(ref, 2);
    const { refunds } = await fetch(ref);
    expect(refunds).toHaveLength(26);
    expect(refunds.reduce((sum, { amount }) => sum + amount, 0)).toBe(57);
    expect(await sought('refund', call, ref)).toMatchObject({ facts: { ref } });
  });
});

describe('disputes', () => {
  it('withdraw the money until they are won', async () => {
    const { paid, fetch, double, clock, stripe, amountCall } = await shop();
    const ref = await paid(1_000);
    const { id } = double.dashboard.openDispute(ref, { amount: 600 });
    const respondBy = new Date(clock.now().getTime() + 7 * DAY_MS);
    expect((await fetch(ref)).disputes).toEqual([{ ref: id, amount: 600, status: 'open', respondBy }]);
    expect(double.books().get(ref)).toMatchObject({ disputed: 600 });
    expect(await stripe.refund(amountCall(ref, 100))).toMatchObject({ kind: 'declined', retry: false });
    for (const [status, disputed] of [
      ['lost', 600],
      ['won', 0],
    ] as const) {
      double.dashboard.closeDispute(id, status);
      expect((await fetch(ref)).disputes).toEqual([{ ref: id, amount: 600, status, respondBy: null }]);
      expect(double.books().get(ref)).toMatchObject({ disputed });
    }
  });

  it('do not include inquiries, which withdraw nothing', async () => {
    const { paid, fetch, double } = await shop();
    const ref = await paid(1_000);
    double.dashboard.openDispute(ref, { inquiry: true });
    expect((await fetch(ref)).disputes).toEqual([]);
  });
});

describe('a saved method', () => {
  async function saved(method = 'pm_card_visa') {
    const all = await shop();
    const { stripe, startCall, double, fetch } = all;
    const { facts, next } = done(await stripe.start(startCall(100, { save: true })));
    expect(facts.savedMethod).toBeNull();
    if ((await double.buyer.confirm(secretOf(next), method)) === 'requires_action') {
      double.buyer.completeChallenge(facts.ref, 'passed');
    }
    const { savedMethod } = await fetch(facts.ref);
    return { ...all, savedMethod: savedMethod!, pm: savedMethod!.token.split(':')[1]! };
  }

  it('is kept with a customer of its own, and described', async () => {
    const { savedMethod, double } = await saved();
    expect(savedMethod).toEqual({
      token: expect.stringMatching(/^cus_\d+:pm_\d+:card$/),
      label: 'Visa •••• 4242',
      brand: 'visa',
      last4: '4242',
      expiresOn: '2029-08-31',
    });
    const keys = double.calls.filter(({ key }) => key !== null).map(({ path, key }) => `${path} ${key}`);
    expect(keys).toEqual(['/v1/customers tl_7_1_customer', '/v1/payment_intents tl_7_1']);
  });

  it('is charged while the buyer is absent', async () => {
    const { stripe, chargeCall, savedMethod, sought } = await saved();
    const call = chargeCall(2_500, savedMethod.token);
    const facts = done(await stripe.charge(call));
    expect(facts).toMatchObject({ status: 'captured', captured: 2_500, savedMethod: null });
    expect(await sought('charge', call)).toEqual({ facts, next: null });
  });

  it.each([
    ['declined', 'card_declined', true],
    ['insufficient_funds', 'insufficient_funds', true],
    ['expired', 'expired_card', true],
    ['fraud', 'fraud_suspected', false],
    ['challenges', 'authentication_required', true],
  ] as const)('is declined: %s is %s', async (behavior, code, retry) => {
    const { stripe, chargeCall, savedMethod, sought, double, pm } = await saved();
    double.dashboard.changeMethod(pm, behavior);
    const call = chargeCall(2_500, savedMethod.token);
    const declined = await stripe.charge(call);
    expect(declined).toMatchObject({ kind: 'declined', code, retry });
    // The same key has the same outcome, and nobody can confirm what was declined.
    expect(await stripe.charge(call)).toEqual(declined);
    expect(await sought('charge', call)).toMatchObject({ facts: { status: 'failed', failure: { code } }, next: null });
  });

  it('that needs 3-D Secure is saved when the buyer has passed it, and needs it again in a renewal', async () => {
    const { stripe, chargeCall, savedMethod } = await saved('pm_card_authenticationRequired');
    expect(await stripe.charge(chargeCall(100, savedMethod.token))).toMatchObject({
      kind: 'declined',
      code: 'authentication_required',
    });
  });

  it('pays at once while the buyer is there', async () => {
    const { stripe, startCall, savedMethod, sought, double, pm } = await saved();
    const call = startCall(2_500, { token: savedMethod.token });
    const { facts, next } = done(await stripe.start(call));
    expect([facts, next]).toMatchObject([{ status: 'captured', captured: 2_500, savedMethod: null }, null]);
    expect(await sought('start', call)).toEqual({ facts, next: null });
    const later = done(await stripe.start(startCall(2_500, { token: savedMethod.token, capture: 'later' })));
    expect(later.facts).toMatchObject({ status: 'authorized', authorized: 2_500, captured: 0 });
    expect(double.intentById(later.facts.ref)).toMatchObject({
      payment_method: pm,
      allowed_payment_method_types: ['card'],
    });
  });

  it.each([
    ['passed', { status: 'captured', captured: 2_500, failure: null }],
    ['failed', { status: 'action_required', captured: 0, failure: { code: 'authentication_required' } }],
  ] as const)('asks a buyer who is there for 3-D Secure, which is %s', async (outcome, facts) => {
    const { stripe, startCall, savedMethod, sought, double, fetch, pm } = await saved();
    double.dashboard.changeMethod(pm, 'challenges');
    const call = startCall(2_500, { token: savedMethod.token });
    const begun = done(await stripe.start(call));
    expect(begun.facts).toMatchObject({ status: 'action_required', failure: null });
    const { ref } = begun.facts;
    // Stripe.js shows the challenge, with the client secret.
    expect(double.intentById(ref)).toMatchObject({ next_action: { type: 'use_stripe_sdk' } });
    expect(begun.next).toEqual({ type: 'client_secret', clientSecret: double.intentById(ref).client_secret });
    expect(await sought('start', call)).toEqual(begun);
    double.buyer.completeChallenge(ref, outcome);
    expect(await fetch(ref)).toMatchObject(facts);
    // After a failure, the buyer enters another card for the same payment.
    if (outcome === 'failed') await double.buyer.confirm(secretOf(begun.next), 'pm_card_mastercard');
    expect(await fetch(ref)).toMatchObject({ status: 'captured', captured: 2_500 });
  });

  it('that the bank declines at once ends the payment; if nobody hears it, the buyer enters another card', async () => {
    const { stripe, startCall, savedMethod, sought, double, pm } = await saved();
    double.dashboard.changeMethod(pm, 'insufficient_funds');
    const call = startCall(2_500, { token: savedMethod.token });
    const declined = await stripe.start(call);
    expect(declined).toMatchObject({ kind: 'declined', code: 'insufficient_funds', retry: true });
    expect(await stripe.start(call)).toEqual(declined);
    expect(await sought('start', call)).toMatchObject({
      facts: { status: 'action_required', failure: { code: 'insufficient_funds' } },
      next: { type: 'client_secret' },
    });
  });

  it('is forgotten, also twice', async () => {
    const { stripe, chargeCall, startCall, savedMethod, asked } = await saved();
    await stripe.forget(asked(), savedMethod.token);
    await stripe.forget(asked(), savedMethod.token);
    const gone = { kind: 'declined', code: 'method_unavailable', retry: false };
    expect(await stripe.charge(chargeCall(100, savedMethod.token))).toMatchObject(gone);
    expect(await stripe.start(startCall(100, { token: savedMethod.token }))).toMatchObject(gone);
  });
});

describe('amounts', () => {
  it.each([
    ['USD', 2, 1_050, 1_050],
    ['JPY', 0, 500, 500],
    ['KWD', 3, 5_120, 5_120],
    ['ISK', 0, 750, 75_000],
  ])('in %s with %i decimals are exact: %i is %i at Stripe', async (code, exponent, ours, theirs) => {
    const { stripe, paid, amountCall, fetch, double } = await shop();
    const currency = { code, exponent };
    const ref = await paid(ours, 'pm_card_visa', { currency, capture: 'later' });
    done(await stripe.capture(amountCall(ref, ours, currency)));
    expect(double.books().get(ref)).toMatchObject({ amount: theirs, captured: theirs, currency: code.toLowerCase() });
    double.dashboard.openDispute(ref, { inquiry: true });
    done(await stripe.refund(amountCall(ref, ours, currency)));
    expect(await fetch(ref, currency)).toMatchObject({
      currency: code,
      amount: ours,
      authorized: ours,
      captured: ours,
      refunds: [{ amount: ours }],
    });
    expect(double.books().get(ref)).toMatchObject({ refunded: theirs });
  });

  it('that Stripe does not take are declined without a call', async () => {
    const { stripe, startCall, double } = await shop();
    const call = startCall(5_124, { currency: { code: 'KWD', exponent: 3 } });
    expect(await stripe.start(call)).toMatchObject({ kind: 'declined', code: 'other', retry: false });
    expect(double.calls).toEqual([]);
  });
});

describe('faults', () => {
  const HAPPENS: readonly CallFault[] = ['time_out_after', 'cut_body'];
  type All = Awaited<ReturnType<typeof shop>>;
  type Call = (key?: string) => Promise<Outcome<Facts | Started>>;

  /** Each returns the call, what the operation is looked up by, and what its money is at Stripe once it has happened. */
  const OPERATIONS = {
    start: async ({ stripe, startCall }: All) => {
      const call = startCall(1_000);
      return { call: ((key = call.key) => stripe.start({ ...call, key })) as Call, sought: call, ref: null };
    },
    charge: async ({ stripe, startCall, chargeCall, double, fetch }: All) => {
      const { facts, next } = done(await stripe.start(startCall(1, { save: true })));
      await double.buyer.confirm(secretOf(next), 'pm_card_visa');
      const call = chargeCall(1_000, (await fetch(facts.ref)).savedMethod!.token);
      return { call: ((key = call.key) => stripe.charge({ ...call, key })) as Call, sought: call, ref: null };
    },
    capture: async ({ stripe, paid, amountCall }: All) => {
      const ref = await paid(1_000, 'pm_card_visa', { capture: 'later' });
      const call = amountCall(ref, 1_000);
      return { call: ((key = call.key) => stripe.capture({ ...call, key })) as Call, sought: call, ref };
    },
    cancel: async ({ stripe, paid, amountCall }: All) => {
      const ref = await paid(1_000, 'pm_card_visa', { capture: 'later' });
      const call = amountCall(ref, 1_000);
      return { call: ((key = call.key) => stripe.cancel({ ...call, key })) as Call, sought: call, ref };
    },
    refund: async ({ stripe, paid, amountCall }: All) => {
      const ref = await paid(1_000);
      const call = amountCall(ref, 400);
      return { call: ((key = call.key) => stripe.refund({ ...call, key })) as Call, sought: call, ref };
    },
  };
  const KINDS = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];

  describe.each(CALL_FAULTS)('%s', (fault) => {
    it.each(KINDS)('leaves a %s uncertain, which a look-up or the next call makes certain', async (kind) => {
      const all = await shop();
      const { double, sought: find } = all;
      const { call, sought, ref } = await OPERATIONS[kind](all);
      const before = double.books();
      double.failNext(fault);
      const outcome = await call();
      expect(outcome).toMatchObject({ kind: 'uncertain', cause: expect.any(String) });
      expect(JSON.stringify(outcome)).not.toContain(double.account().secretKey);
      expect(double.faults.happened[fault]).toBe(1);

      const found = await find(kind, sought, ref);
      if (HAPPENS.includes(fault)) {
        expect(found).toMatchObject({ facts: { ref: ref ?? expect.any(String) } });
        const books = double.books();
        expect(books).not.toEqual(before);
        // The same key has no second effect, and returns the state of now.
        const again = done(await call());
        expect('facts' in again ? again.facts : again).toEqual((found as Started).facts);
        expect(double.books()).toEqual(books);
        return;
      }
      expect(found).toBe('not_found');
      expect(double.books()).toEqual(before);
      const again = await call();
      if (fault !== 'error_500') {
        done(again);
        return;
      }
      expect(again).toMatchObject({ kind: 'uncertain', cause: expect.stringContaining('remembered') });
      expect(double.books()).toEqual(before);
      done(await call(`${sought.key}_2`));
    });

    it('makes fetch and find unavailable', async () => {
      const { double, paid, fetch, sought } = await shop();
      const ref = await paid(1_000);
      double.failNext(fault);
      await expect(fetch(ref)).rejects.toThrow(ProviderUnavailable);
      double.failNext(fault);
      await expect(sought('start', { operationId: 1 })).rejects.toThrow(ProviderUnavailable);
      expect(await fetch(ref)).toMatchObject({ captured: 1_000 });
    });
  });

  it('in the call for a customer leave a start uncertain, and its repetition uses the same customer', async () => {
    const { stripe, startCall, double } = await shop();
    const call = startCall(100, { save: true });
    double.failNext('time_out_after');
    expect(await stripe.start(call)).toMatchObject({ kind: 'uncertain' });
    done(await stripe.start(call));
    expect(double.intentOf({}).customer).toBe('cus_00000001');
  });

  it('of the network end with the time for the call', async () => {
    const { stripe, startCall, double } = await shop({ hangMs: 60_000 });
    double.failNext('time_out_after');
    const outcome = await stripe.start({ ...startCall(100), signal: AbortSignal.timeout(100) });
    expect(outcome).toMatchObject({ kind: 'uncertain' });
    expect(double.books().size).toBe(1);
  });

  it('by a key that was used with other parameters leave it uncertain, and say so', async () => {
    const { stripe, startCall, double } = await shop();
    const call = startCall(100);
    done(await stripe.start(call));
    expect(await stripe.start({ ...call, amount: 101 })).toEqual({
      kind: 'uncertain',
      cause: 'The idempotency key was used with other parameters.',
    });
    expect(double.books().size).toBe(1);
  });

  it('by a revoked key leave it uncertain, until the key is replaced', async () => {
    const { stripe, startCall, fetch, double } = await shop();
    const { ref } = done(await stripe.start(startCall(100))).facts;
    double.revokeKey();
    const call = startCall(200);
    const outcome = await stripe.start(call);
    expect(outcome).toMatchObject({ kind: 'uncertain', cause: expect.stringContaining('401') });
    expect(JSON.stringify(outcome)).not.toContain('sk_test');
    await expect(fetch(ref)).rejects.toThrow(ProviderUnavailable);
    double.replaceKey();
    done(await stripe.start({ ...call, account: double.account() }));
    expect(await fetch(ref)).toMatchObject({ amount: 100 });
  });

  it('of a payment that the account does not have are uncertain', async () => {
    const { stripe, amountCall, fetch } = await shop();
    await expect(fetch('pi_none')).rejects.toThrow(ProviderUnavailable);
    for (const call of [stripe.capture, stripe.cancel, stripe.refund]) {
      expect(await call(amountCall('pi_none', 5))).toMatchObject({ kind: 'uncertain' });
    }
  });

  it('by chance are the same for the same seed', async () => {
    const happened: object[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { stripe, startCall, double } = await shop({ seed: 4_711, hangMs: 1 });
      const kinds: string[] = [];
      for (let i = 0; i < 60; i += 1) kinds.push((await stripe.start(startCall(100 + i))).kind);
      expect(kinds).toContain('uncertain');
      expect(kinds).toContain('done');
      happened.push({ kinds, happened: double.faults.happened });
    }
    expect(happened[0]).toEqual(happened[1]);
  });
});

describe('operations with faults by chance', () => {
  type All = Awaited<ReturnType<typeof shop>>;

  async function unlessUnavailable<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error;
      }
    }
    throw new Error('Stripe is never available');
  }

  /** Calls as the shop does: what is uncertain is looked up, and called again if it has not happened. */
  async function certain(
    { sought }: All,
    kind: SoughtOperation['kind'],
    { operationId, key }: { operationId: number; key: string },
    { ref, call }: { ref: string | null; call: (key: string) => Promise<Outcome<Started | Facts>> },
  ): Promise<Started | Facts> {
    let generation = 1;
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const outcome = await call(generation === 1 ? key : `${key}_${generation}`);
      if (outcome.kind === 'done') return outcome.value;
      if (outcome.kind === 'declined') throw new Error(`A ${kind} is declined: ${outcome.message}`);
      const found = await unlessUnavailable(() => sought(kind, { operationId }, ref));
      if (found !== 'not_found') return found;
      if (outcome.cause.includes('remembered')) generation += 1;
    }
    throw new Error(`A ${kind} never becomes certain`);
  }

  it.each(Array.from({ length: rounds(4, 40) }, (_, i) => i))(
    'come to what the books of Stripe say, to the cent: seed %i',
    async (round) => {
      const draw = random(round);
      const all = await shop({ seed: draw(1_000_000), hangMs: 1 });
      const { double, stripe, startCall, amountCall, fetch } = all;
      const expected: object[] = [];
      for (let payment = 0; payment < 12; payment += 1) {
        const amount = 100 + draw(100_000);
        const started = startCall(amount, { capture: 'later' });
        const beginning = await certain(all, 'start', started, {
          ref: null,
          call: (key) => stripe.start({ ...started, key }),
        });
        if (!('next' in beginning)) throw new Error('A start has a next action');
        const { ref } = beginning.facts;
        await double.buyer.confirm(secretOf(beginning.next), 'pm_card_visa');
        if (draw(4) === 0) {
          const cancelling = amountCall(ref, amount);
          await certain(all, 'cancel', cancelling, { ref, call: (key) => stripe.cancel({ ...cancelling, key }) });
          expected.push({ ref, authorized: 0, captured: 0, refunded: 0, status: 'cancelled' });
          continue;
        }
        const captured = 1 + draw(amount);
        const capturing = amountCall(ref, captured);
        await certain(all, 'capture', capturing, { ref, call: (key) => stripe.capture({ ...capturing, key }) });
        const refunded = 1 + draw(captured);
        const refunding = amountCall(ref, refunded);
        await certain(all, 'refund', refunding, { ref, call: (key) => stripe.refund({ ...refunding, key }) });
        expected.push({ ref, authorized: captured, captured, refunded, status: 'captured' });
      }
      double.faults.stop();
      const shown = await Promise.all(
        [...double.books()].map(async ([ref, books]) => {
          const { authorized, captured, refunds, status } = await fetch(ref);
          const refunded = refunds.reduce((sum, refund) => sum + refund.amount, 0);
          expect(books).toMatchObject({ captured, refunded });
          return { ref, authorized, captured, refunded, status };
        }),
      );
      expect(shown).toEqual(expected);
      expect(Object.values(double.faults.happened).some((count) => count > 0)).toBe(true);
    },
  );
});

describe('a look-up', () => {
  it('finds a payment among many, over all pages', async () => {
    const { stripe, startCall, sought } = await shop({ maxPage: 5 });
    const calls = Array.from({ length: 17 }, (_, i) => startCall(100 + i));
    for (const call of calls) done(await stripe.start(call));
    for (const call of [calls[0]!, calls[16]!]) {
      expect(await sought('start', call)).toMatchObject({
        facts: { amount: call.amount },
        next: { type: 'client_secret' },
      });
    }
    expect(await sought('start', { operationId: 999 })).toBe('not_found');
  });

  it('does not find older payments, but allows for clocks that differ', async () => {
    const { stripe, startCall, asked, clock } = await shop();
    const call = startCall(100);
    done(await stripe.start(call));
    const find = (ms: number) =>
      stripe.find(asked(), {
        id: call.operationId,
        kind: 'start',
        amount: 100,
        ref: null,
        since: new Date(clock.now().getTime() + ms),
      });
    expect(await find(59_000)).toMatchObject({ facts: { amount: 100 } });
    expect(await find(62_000)).toBe('not_found');
  });

  it('is needed after 24 hours, when Stripe has forgotten a key', async () => {
    const { stripe, startCall, clock, double } = await shop();
    const call = startCall(100);
    done(await stripe.start(call));
    clock.advance(stripe.keyLifetimeMs - 1);
    done(await stripe.start(call));
    expect(double.books().size).toBe(1);
    clock.advance(1);
    done(await stripe.start(call));
    expect(double.books().size).toBe(2);
  });
});
