import { beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { pickVariant } from './engine/split.ts';
import { contactOf, expectSound, track } from './testing/flows.ts';

/** The flows of the library over weeks of the test clock: exactly these messages, contacts and times. */

const server = testServer({ config: { testClock: true } });
let shop: TestCompany;
const ADA = 'ada@example.com';
const BEA = 'bea@example.com';
const CAI = 'cai@example.com';

/** Each scenario has its own year: the server's clock can only advance. */
let year = 2026;
beforeEach(async () => {
  await advanceTo(`${++year}-03-15 12:00`);
  shop = await server.company();
});

/** Advances to the moment (UTC), and executes everything that is due until then. */
async function advanceTo(moment: string): Promise<void> {
  const seconds = (Date.parse(`${moment}Z`) - server.clock.now().getTime()) / 1000;
  const { status } = await server.request('POST', '/admin/api/test-clock', { body: { advance: `${seconds}s` } });
  expect(status).toBe(200);
}

async function activate(name: string): Promise<number> {
  const { body } = await shop.marketing('POST', `/flows/from-library/${name}`);
  expect((await shop.marketing('POST', `/flows/activate/${body.flow_id}`)).status).toBe(200);
  return body.flow_id;
}

type Sent = [who: string, subject: string, when: string];

/** Expects exactly these mails, and `skipped` messages that the gate rejected. */
async function expectSent(expected: Sent[], skipped = 0): Promise<void> {
  const { messages } = (await shop.marketing('GET', '/mailbox?per_page=100')).body;
  const sent = (messages as { to: string; subject: string; created_at: string }[]).map((message): Sent => {
    return [message.to, message.subject, message.created_at.slice(5, 16)];
  });
  expect(sent.toSorted(byTime)).toEqual(expected.toSorted(byTime));
  const ledger = (await shop.marketing('GET', '/messages?per_page=100')).body.messages as { status: string }[];
  const held = ledger.filter(({ status }) => status === 'skipped');
  expect([held.length, ledger.length]).toEqual([skipped, skipped + expected.length]);
  await expectSound(server);
}

function byTime([who, , when]: Sent, [otherWho, , otherWhen]: Sent): number {
  return `${when} ${who}` < `${otherWhen} ${otherWho}` ? -1 : 1;
}

describe('the test clock', () => {
  it('abandoned cart: one hour, a day for large carts, ended by an order, delayed by quiet hours', async () => {
    await activate('abandoned-cart');
    const [REMINDER, SECOND] = ['You left something behind', 'Still thinking about it?'];
    await track(shop, ADA, 'cart_abandoned', { cart_total: 80 });
    await track(shop, BEA, 'cart_abandoned', { cart_total: 20 });
    await track(shop, CAI, 'cart_abandoned', { cart_total: 90 });
    await advanceTo(`${year}-03-15 20:30`);
    await track(shop, CAI, 'order_placed');
    await track(shop, 'dov@example.com', 'cart_abandoned', { cart_total: 60 });
    await advanceTo(`${year}-03-16 07:00`);
    await track(shop, 'eve@example.com', 'cart_abandoned', { cart_total: 60 });
    await advanceTo(`${year}-03-16 07:30`);
    await track(shop, 'eve@example.com', 'order_placed');
    // Within a day it counts as the same cart.
    await track(shop, ADA, 'cart_abandoned', { cart_total: 81 });
    await advanceTo(`${year}-04-15 12:00`);
    await expectSent([
      [ADA, REMINDER, '03-15 13:00'],
      [BEA, REMINDER, '03-15 13:00'],
      [CAI, REMINDER, '03-15 13:00'],
      ['dov@example.com', REMINDER, '03-16 08:00'],
      [ADA, SECOND, '03-16 13:00'],
      ['dov@example.com', SECOND, '03-17 08:00'],
    ]);
  });

  it('welcome: four e-mails over 14 days, the last one without an order, once per customer', async () => {
    await activate('welcome');
    await track(shop, ADA, 'customer_created');
    await advanceTo(`${year}-03-16 09:30`);
    await track(shop, BEA, 'customer_created');
    await advanceTo(`${year}-03-17 09:30`);
    await track(shop, BEA, 'order_placed');
    await advanceTo(`${year}-03-18 12:00`);
    await track(shop, CAI, 'customer_created');
    await advanceTo(`${year}-03-20 12:00`);
    await shop.marketing('POST', `/contacts/unsubscribe/${(await contactOf(shop, CAI)).contact_id}`);
    await advanceTo(`${year}-04-30 12:00`);
    await track(shop, ADA, 'customer_created');
    await advanceTo(`${year}-05-30 12:00`);
    const unsubscribed = 3;
    await expectSent(
      [
        [ADA, 'Welcome', '03-15 12:00'],
        [BEA, 'Welcome', '03-16 09:30'],
        [ADA, 'Where to begin', '03-18 12:00'],
        [CAI, 'Welcome', '03-18 12:00'],
        [BEA, 'Where to begin', '03-19 09:30'],
        [ADA, 'Who we are', '03-22 12:00'],
        [BEA, 'Who we are', '03-23 09:30'],
        [ADA, 'Your first order', '03-29 12:00'],
      ],
      unsubscribed,
    );
    for (const email of [ADA, BEA]) expect((await contactOf(shop, email)).tags).toEqual(['welcomed']);
  });

  it('win-back: 30, 45 and 60 days after the last order', async () => {
    await activate('win-back');
    await track(shop, ADA);
    await track(shop, BEA);
    await advanceTo(`${year}-04-24 23:30`);
    // Forty days after the first order: the second mail about that one must not be sent.
    await track(shop, BEA);
    await advanceTo(`${year}-12-31 12:00`);
    await expectSent([
      [ADA, 'We have not seen you for a while', '04-14 12:00'],
      [BEA, 'We have not seen you for a while', '04-14 12:00'],
      [ADA, 'This is new', '04-29 12:00'],
      [ADA, 'Shall we stay in touch?', '05-14 12:00'],
      // 23:30 is in the quiet hours, which last until eight.
      [BEA, 'We have not seen you for a while', '05-25 08:00'],
      [BEA, 'This is new', '06-09 08:00'],
      [BEA, 'Shall we stay in touch?', '06-24 08:00'],
    ]);
    for (const email of [ADA, BEA]) expect((await contactOf(shop, email)).tags).toEqual(['lapsed']);
  });

  it('post-purchase: thanks at once, and after ten days one of two subjects for each customer', async () => {
    const flowId = await activate('post-purchase');
    const emails = Array.from({ length: 12 }, (_, i) => `p${i}@example.com`);
    for (const who of emails) await track(shop, who, 'order_completed');
    await advanceTo(`${year}-03-20 12:00`);
    // A second order gets its own thank-you mail, and the customer's subject again.
    for (const who of emails.slice(0, 4)) await track(shop, who, 'order_completed');
    await advanceTo(`${year}-04-30 12:00`);

    const subjects: Record<string, string> = { a: 'How do you like it?', b: 'A minute for your opinion' };
    const variants = [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50 },
    ];
    const theirs = new Map<string, string>();
    for (const who of emails) {
      const { contact_id } = await contactOf(shop, who);
      theirs.set(who, subjects[pickVariant(variants, { flowId, stepId: 'subject' }, contact_id)]!);
    }
    await expectSent([
      ...emails.map((who): Sent => [who, 'Thank you for your order', '03-15 12:00']),
      ...emails.slice(0, 4).map((who): Sent => [who, 'Thank you for your order', '03-20 12:00']),
      ...emails.map((who): Sent => [who, theirs.get(who)!, '03-25 12:00']),
      ...emails.slice(0, 4).map((who): Sent => [who, theirs.get(who)!, '03-30 12:00']),
    ]);
    expect(new Set(theirs.values()).size).toBe(2);
  });

  it("low loyalty: two weeks after the delivery, to those who have few of the shop's points then", async () => {
    await activate('low-loyalty');
    const product = (await shop.commerce('POST', '/products', { name: 'Tea', price: 40, stock_qty: 9 })).body.data.id;
    const customers: number[] = [];
    for (const email of [ADA, BEA]) {
      const { id } = (await shop.commerce('POST', '/customers', { email, first_name: 'X', accepts_marketing: true }))
        .body.data;
      const address = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };
      const items = [{ product_id: product, qty: 1 }];
      const order = (await shop.commerce('POST', '/orders', { customer_id: id, items, ...address })).body.data.id;
      for (const status of ['shipped', 'delivered'])
        await shop.commerce('PATCH', `/orders/${order}/status`, { status });
      customers.push(id);
    }
    await advanceTo(`${year}-03-28 12:00`);
    await shop.commerce('POST', `/customers/${customers[1]}/loyalty/adjust`, { points: 60 });
    await advanceTo(`${year}-04-30 12:00`);
    await expectSent([[ADA, 'Your points are waiting', '03-29 12:00']]);
  });

  it('renewal: three days before each date of each subscription, whatever its frequency, and none for cancelled dates', async () => {
    await activate('subscription-renewal');
    const goods = { name: 'Tea', price: 40, stock_qty: 900, subscription_enabled: true };
    const product = (await shop.commerce('POST', '/products', goods)).body.data.id;
    const { id } = (
      await shop.commerce('POST', '/customers', { email: ADA, first_name: 'Ada', accepts_marketing: true })
    ).body.data;
    const subscribe = async (frequency_id: number, start_date: string): Promise<number> => {
      const address = { shipping_address: '1 Main St', shipping_city: 'X', shipping_zip: '1' };
      const asked = { customer_id: id, product_id: product, frequency_id, start_date: `${year}-${start_date}` };
      return (await shop.commerce('POST', '/subscriptions', { ...asked, ...address })).body.data.id;
    };
    const [weekly, monthly] = [await subscribe(1, '03-15'), await subscribe(3, '03-31')];
    await advanceTo(`${year}-03-30 12:00`);
    expect((await shop.commerce('POST', `/subscriptions/${weekly}/cancel`)).status).toBe(200);
    await advanceTo(`${year}-05-01 12:00`);
    // Skips the date on the 31st.
    expect((await shop.commerce('POST', `/subscriptions/${monthly}/skip`)).status).toBe(200);
    await advanceTo(`${year}-07-02 12:00`);
    const SOON = 'Your subscription renews soon';
    await expectSent(['03-19', '03-26', '04-27', '06-27'].map((day): Sent => [ADA, SOON, `${day} 09:00`]));
    const { html } = (await shop.marketing('GET', `/mailbox/latest?to=${ADA}`)).body;
    expect(html).toContain(`Monthly renews on ${year}-06-30`);
  });
});
