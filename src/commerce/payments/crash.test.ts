import { afterAll, beforeAll, expect, test } from 'vitest';
import { isUnavailable } from '../../db/unavailable.ts';
import { checkInvariants } from '../../invariants.ts';
import { breaking } from '../../testing/breaking.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { addTestAccount } from './testing/account.ts';
import { startStripeDouble } from './testing/stripe/double.ts';

/** Of each operation, every round trip is lost once before and once after the database has done it, as when the process is killed there. */
const clock = createTestClock();
const stripe = await startStripeDouble({ clock });
const server = testServer({ clock, config: { paymentUrls: { stripe: stripe.url, mollie: null } } });
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Oslo', shipping_zip: '0150', shipping_country: 'NO' };
/** No operation takes as many round trips. */
const MOST_TURNS = 40;
const MINUTE = 60_000;

let shop: TestCompany;
let card: number;
let later: number;
let tea: number;
let guests = 0;

const post = (path: string, body: object = {}) => shop.commerce('POST', path, body);
const made = async (path: string, body: object = {}) => (await post(path, body)).body.data;
const read = async (path: string) => (await shop.commerce('GET', path)).body.data;

beforeAll(async () => {
  shop = await server.company();
  const { id: account_id } = await addTestAccount(server.app, shop.company_id, 'stripe', stripe.account());
  const fields = { provider: 'stripe', kind: 'any', account_id };
  card = (await made('/payment-methods', { ...fields, name: 'Card' })).id;
  later = (await made('/payment-methods', { ...fields, name: 'Later', capture: 'by_hand' })).id;
  tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 100_000 })).id;
});
afterAll(() => stripe.close());

interface Subject {
  cart: number;
  order: number;
  payment: number;
}

async function newCart(): Promise<Subject> {
  const email = `guest${++guests}@example.com`;
  const { id } = await made('/carts', { email, lines: [{ product_id: tea, qty: 2 }], ...ADDRESS });
  return { cart: id, order: 0, payment: 0 };
}

async function paying(method: number, buys: boolean): Promise<Subject> {
  const subject = await newCart();
  const { payment } = (await post(`/carts/${subject.cart}/pay`, { method_id: method })).body.data;
  if (buys) await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
  return { ...subject, payment: payment.id };
}

async function ordered(method: number): Promise<Subject> {
  const subject = await paying(method, true);
  const { order } = (await post(`/carts/${subject.cart}/confirm`)).body.data;
  return { ...subject, order: order.id };
}

/** What a worker does, whether the last time failed or not. */
async function work(): Promise<void> {
  const payments = server.app.workers.find(({ name }) => name === 'payments')!;
  await payments.runOnce().catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
}

/** Time passes, and what was interrupted is taken over. */
async function recover(): Promise<void> {
  for (let n = 0; n < 4; n++) {
    clock.advance(2 * MINUTE);
    await work();
  }
}

const OPERATIONS = {
  pay: {
    before: newCart,
    run: ({ cart }: Subject) => post(`/carts/${cart}/pay`, { method_id: card }),
    end: async ({ cart }: Subject) => {
      // Lost before it was begun, it is sent again.
      await post(`/carts/${cart}/pay`, { method_id: card });
      expect(await read(`/carts/${cart}`)).toMatchObject({ status: 'paying', payment: { status: 'action_required' } });
    },
  },
  confirm: {
    before: () => paying(card, true),
    run: ({ cart }: Subject) => post(`/carts/${cart}/confirm`),
    end: async ({ cart }: Subject) => {
      const { status, order_id } = await read(`/carts/${cart}`);
      expect([status, (await read(`/orders/${order_id}`)).payment_status]).toEqual(['placed', 'paid']);
    },
  },
  'fetch by a worker': {
    before: async () => {
      const subject = await paying(card, true);
      clock.advance(11_000);
      return subject;
    },
    run: work,
    end: async ({ cart }: Subject) => expect((await read(`/carts/${cart}`)).status).toBe('placed'),
  },
  reopen: {
    before: () => paying(card, false),
    run: ({ cart }: Subject) => post(`/carts/${cart}/reopen`),
    end: async ({ cart }: Subject) => {
      await post(`/carts/${cart}/reopen`);
      expect(await read(`/carts/${cart}`)).toMatchObject({ status: 'open', payment: null });
    },
  },
  capture: {
    before: () => ordered(later),
    run: ({ payment }: Subject) => post(`/payments/${payment}/capture`),
    end: async ({ payment, order }: Subject) => {
      await post(`/payments/${payment}/capture`);
      expect((await read(`/orders/${order}`)).payment_status).toBe('paid');
    },
  },
  'refund and its worker': {
    before: () => ordered(card),
    run: async ({ order }: Subject) => {
      await post(`/orders/${order}/refunds`, { amount: 20 });
      await work();
    },
    end: async ({ order }: Subject) => {
      const { refunded } = await read(`/orders/${order}`);
      if (refunded < 20) {
        await post(`/orders/${order}/refunds`, { amount: 20 });
        await recover();
      }
      expect((await read(`/orders/${order}`)).payment_status).toBe('refunded');
    },
  },
} as const;

test.each(Object.entries(OPERATIONS))(
  'a process that dies at any round trip of %s loses and doubles nothing',
  { timeout: 300_000 },
  async (_name, { before, run, end }) => {
    let turns = 0;
    for (let n = 1; n <= MOST_TURNS; n++) {
      let reached = false;
      for (const sent of [false, true]) {
        const subject = await before();
        reached = (await breaking(n, sent, () => run(subject))) || reached;
        await recover();
        await end(subject);
      }
      if (!reached) break;
      turns = n;
    }
    expect(turns).toBeGreaterThan(2);
    expect(turns).toBeLessThan(MOST_TURNS);
    expect((await checkInvariants(server.app.db)).filter((finding) => !finding.ok)).toEqual([]);
    const ours = await server.rows<{ ref: string; captured: string; refunded: string }>(
      'select provider_ref as ref, captured, refunded from payments where provider_ref is not null',
    );
    const books = stripe.books();
    for (const { ref, captured, refunded } of ours) {
      expect([ref, Number(captured), Number(refunded)]).toEqual([
        ref,
        books.get(ref)!.captured,
        books.get(ref)!.refunded,
      ]);
    }
    // Nothing was started that we do not know.
    expect(books.size).toBe(ours.length);
  },
);
