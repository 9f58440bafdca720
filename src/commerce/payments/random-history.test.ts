import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { random, rounds, SEED } from '../../testing/random/seed.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { releaseOverdueCarts } from '../carts/release.ts';
import { addTestAccount } from './testing/account.ts';
import { startMollieDouble } from './testing/mollie/double.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/**
 * Buyers, staff, both services and the clock act at random and at the same time, while calls and webhooks get lost and connections to the
 * database break. In the end, nothing is left over: the books of the services equal ours to the cent, and all invariants hold.
 */
const clock = createTestClock();
const CHANCES = {
  time_out_before: 0.03,
  time_out_after: 0.03,
  error_500: 0.02,
  conflict_409: 0.02,
  lost: 0.2,
  delayed: 0.2,
};
const stripe = await startStripeDouble({ clock, seed: SEED, chances: CHANCES });
const mollie = await startMollieDouble({ clock, seed: SEED + 1, chances: CHANCES });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: mollie.url } } });

const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
const CARDS = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_authenticationRequired',
  'pm_card_chargeDeclined',
  'pm_usBankAccount_processing',
];
const MINUTE = 60_000;
const STEPS = 60;
const AT_ONCE = 5;

let shop: TestCompany;
let methods: { stripe: number; later: number; mollie: number; shipped: number; atOnce: number; transfer: number };
let tea: number;

const made = async (path: string, body: object = {}) => {
  const response = await shop.commerce('POST', path, body);
  if (response.status > 201) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body.data;
};
const post = (path: string, body: object = {}) => shop.commerce('POST', path, body);

/** Rows of a statement of the test's own, whose connection may be among those that break. */
async function rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  for (let tries = 0; ; tries++) {
    try {
      return await server.rows<Row>(text, values);
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

interface Open {
  id: number;
  cart_id: number | null;
  order_id: number | null;
  provider: 'stripe' | 'mollie' | 'manual';
  provider_ref: string | null;
  status: string;
  amount: number;
}
const payments = (since = new Date(0)) =>
  rows<Open>(
    `select id::int, cart_id::int, order_id::int, provider, provider_ref, status, amount::int from payments
     where company_id = $1 and created_at >= $2`,
    [shop.company_id, since],
  );

async function work(): Promise<void> {
  const { db, log } = server.app;
  await releaseOverdueCarts({ db, clock, log })(null).catch(() => {});
  await server.app.workers
    .find(({ name }) => name === 'payments')!
    .runOnce()
    .catch(() => {});
}

beforeAll(async () => {
  shop = await server.company();
  const byStripe = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const byMollie = await addTestAccount(server.app, shop.company_id, 'mollie', mollie.account());
  stripe.registerWebhook(byStripe.webhook_url);
  const method = async (fields: object) =>
    (await made('/payment-methods', { kind: 'any', name: 'Card', ...fields })).id;
  const ofStripe = { provider: 'stripe', account_id: byStripe.id };
  methods = {
    stripe: await method(ofStripe),
    later: await method({ ...ofStripe, capture: 'by_hand' }),
    shipped: await method({ ...ofStripe, capture: 'on_shipped' }),
    atOnce: await method({ ...ofStripe, places: 'at_once' }),
    mollie: await method({ provider: 'mollie', account_id: byMollie.id }),
    transfer: (await made('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' })).id,
  };
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 60 })).id;
});
afterAll(async () => {
  await Promise.all([stripe.close(), mollie.close()]);
});

test('books of services and shop agree after any history', { timeout: 600_000 }, async () => {
  for (let round = 0; round < rounds(3, 40); round++) {
    const draw = random(1_000 + round);
    const pick = <T>(of: readonly T[]): T | undefined => of[draw(of.length)];
    stripe.faults.begin(SEED + 2 * round);
    mollie.faults.begin(SEED + 2 * round + 1);
    await history(draw, pick);
    await settleDown();
    expect(await problems()).toEqual([]);
  }
});

async function history(draw: (below: number) => number, pick: <T>(of: readonly T[]) => T | undefined): Promise<void> {
  const begun = clock.now();
  for (let step = 0; step < STEPS; step++) {
    // What happens at a service to a payment of half a year ago, and is told by no webhook, is not found out.
    const all = await payments(begun);
    const acts = Array.from({ length: AT_ONCE }, () => act(all, draw, pick));
    await Promise.all(acts);
  }
}

/** One act of somebody. What is refused is refused; only the end counts. */
async function act(
  all: readonly Open[],
  draw: (below: number) => number,
  pick: <T>(of: readonly T[]) => T | undefined,
): Promise<unknown> {
  const ofService = all.filter(({ provider_ref }) => provider_ref !== null);
  const one = pick(ofService);
  const order = pick(all.filter(({ order_id }) => order_id !== null))?.order_id;
  const cart = pick(all.filter(({ cart_id }) => cart_id !== null))?.cart_id;
  const at = (path: string, body?: object) =>
    path.includes('undefined') || path.includes('null') ? null : post(path, body);
  switch (draw(16)) {
    case 0:
    case 1:
    case 2: {
      const lines = [{ product_id: tea, qty: 1 + draw(3) }];
      const { status, body } = await post('/carts', { email: `g${draw(20)}@example.com`, lines, ...ADDRESS });
      const { id } = status === 201 ? body.data : { id: 0 };
      return post(`/carts/${id}/pay`, { method_id: pick(Object.values(methods)) });
    }
    case 3:
    case 4:
    case 5:
    case 6:
      return one && buyerActs(one, draw, pick);
    case 7:
      return at(`/carts/${cart}/confirm`);
    case 8:
      return draw(2) === 0 ? at(`/carts/${cart}/reopen`) : at(`/carts/${cart}/place`);
    case 9:
      return at(`/orders/${order}/refunds`, { amount: 1 + draw(30) });
    case 10:
      return (
        order &&
        shop.commerce('PATCH', `/orders/${order}/status`, { status: pick(['cancelled', 'processing', 'shipped']) })
      );
    case 11:
      return at(`/payments/${one?.id}/${draw(2) === 0 ? 'capture' : 'cancel'}`);
    case 12:
      return one && serviceActs(one, draw);
    case 13:
      clock.advance((1 + draw(draw(4) === 0 ? 300 : 20)) * MINUTE);
      return work();
    case 14:
      return draw(2) === 0 ? Promise.all([stripe.webhooks.release(), mollie.webhooks.release()]) : work();
    default:
      if (draw(6) > 0) return null;
      return server.rows(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'",
      );
  }
}

async function buyerActs(
  { provider, provider_ref: ref }: Open,
  draw: (below: number) => number,
  pick: <T>(of: readonly T[]) => T | undefined,
): Promise<void> {
  await tried(async () => {
    if (provider === 'mollie')
      return pick([mollie.buyer.pay, mollie.buyer.pay, mollie.buyer.fail, mollie.buyer.cancel, mollie.buyer.hold])!(
        ref!,
      );
    const { status, client_secret } = stripe.intentById(ref!);
    if (status === 'requires_action') return stripe.buyer.completeChallenge(ref!, draw(2) === 0 ? 'passed' : 'failed');
    if (status === 'processing') return stripe.dashboard.settleProcessing(ref!, draw(2) === 0 ? 'succeeded' : 'failed');
    return stripe.buyer.confirm(client_secret, pick(CARDS)!);
  });
}

async function serviceActs({ provider, provider_ref: ref }: Open, draw: (below: number) => number): Promise<void> {
  await tried(async () => {
    const { dashboard } = stripe;
    if (provider === 'mollie') {
      const acts = [
        () => mollie.dashboard.refund(ref!, 1 + draw(500)),
        () => mollie.dashboard.chargeBack(ref!),
        () => mollie.dashboard.expire(ref!),
        () => mollie.dashboard.succeedBeforeCancellation(ref!),
        () => mollie.dashboard.succeedAfterCancellation(ref!),
      ];
      return void acts[draw(acts.length)]!();
    }
    const acts = [
      () => dashboard.refund(ref!, 1 + draw(500)),
      () => dashboard.openDispute(ref!),
      () => dashboard.expireAuthorization(ref!),
      () => dashboard.cancel(ref!),
      () => dashboard.capture(ref!),
      () => dashboard.succeedBeforeCancel(ref!),
    ];
    return void acts[draw(acts.length)]!();
  });
}

/** What a service does not allow in this state does not happen. */
async function tried(change: () => unknown): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** Services respond from now on, what waits is sent, and time passes until nothing is under way. */
async function settleDown(): Promise<void> {
  stripe.faults.stop();
  mollie.faults.stop();
  for (let hour = 0; hour < 24 * 16; hour++) {
    await Promise.all([stripe.webhooks.release(), mollie.webhooks.release()]);
    await Promise.all([stripe.webhooks.idle(), mollie.webhooks.idle()]);
    clock.advance(61 * MINUTE);
    await work();
    const [open] = await rows<{ n: number }>(
      `select ((select count(*) from payment_operations where due_at is not null)
        + (select count(*) from payments where provider_ref is not null and (refund_pending > 0
          or status in ('created', 'action_required', 'processing', 'authorized'))))::int as n`,
    );
    if (open!.n === 0) break;
    // Buyers who went away do not come back: their payments time out; authorized money is captured by staff.
    if (hour === 10)
      for (const { id, status } of await payments()) if (status === 'authorized') await post(`/payments/${id}/cancel`);
    if (hour === 12) {
      for (const { provider, provider_ref: ref, status } of await payments()) {
        if (status !== 'processing') continue;
        if (provider === 'stripe') await tried(() => stripe.dashboard.settleProcessing(ref!, 'failed'));
        else await tried(() => mollie.buyer.fail(ref!));
      }
    }
  }
  // What no webhook has told is found later.
  for (let week = 0; week < 27; week++) {
    clock.advance(7 * 24 * 60 * MINUTE);
    for (let turn = 0; turn < 3; turn++) await work();
  }
}

async function problems(): Promise<unknown[]> {
  const findings = (await checkInvariants(server.app.db)).filter(({ ok }) => !ok);
  const ours = await rows<{
    id: number;
    provider: string;
    ref: string;
    captured: number;
    refunded: number;
    disputed: number;
  }>(
    `select id::int, provider, provider_ref as ref, captured::int, refunded::int, disputed::int from payments
     where provider_ref is not null`,
  );
  const [ofStripe, ofMollie] = [stripe.books(), mollie.books()];
  const differences = ours.flatMap(({ provider, ref, id, captured, refunded, disputed }) => {
    const line = (provider === 'stripe' ? ofStripe : ofMollie).get(ref)!;
    const theirs = [line.captured, line.refunded, line.disputed];
    return JSON.stringify(theirs) === JSON.stringify([captured, refunded, disputed])
      ? []
      : [{ payment: id, ref, theirs, ours: [captured, refunded, disputed] }];
  });
  const known = new Set(ours.map(({ ref }) => ref));
  const strangers = [...ofStripe, ...ofMollie].filter(
    ([ref, { captured, refunded }]) => !known.has(ref) && captured > refunded,
  );
  const left = await rows(
    `select id::int, status, attention from payments
     where order_id is null and provider <> 'manual' and captured - refunded - disputed > 0`,
  );
  const open = await rows('select payment_id, kind, state, error from payment_operations where due_at is not null');
  return [...findings, ...differences, ...strangers, ...left, ...open];
}
