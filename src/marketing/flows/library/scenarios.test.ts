import { beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { contactOf, expectSound, track } from '../testing/flows.ts';
import { LIBRARY } from './library.ts';

/** Flows of the library to the end of their runs, by the test clock; the others are in flows/scenarios.test.ts. */

const server = testServer({ config: { testClock: true } });
const ADA = 'ada@example.com';
const BEA = 'bea@example.com';
let shop: TestCompany;
let year = 2026;
beforeEach(async () => {
  await advanceTo(`${++year}-03-15 12:00`);
  shop = await server.company();
});

/** Advances in steps: one request advances the clock by a year at most. */
async function advanceTo(moment: string): Promise<void> {
  for (;;) {
    const seconds = (Date.parse(`${moment}Z`) - server.clock.now().getTime()) / 1000;
    const advance = `${Math.min(seconds, 360 * 86_400)}s`;
    const { status } = await server.request('POST', '/admin/api/test-clock', { body: { advance } });
    expect(status).toBe(200);
    if (seconds <= 360 * 86_400) return;
  }
}
async function activate(name: string): Promise<number> {
  const { body } = await shop.marketing('POST', `/flows/from-library/${name}`);
  expect((await shop.marketing('POST', `/flows/activate/${body.flow_id}`)).status).toBe(200);
  return body.flow_id;
}
async function expectSent(expected: string[]): Promise<void> {
  const { messages } = (await shop.marketing('GET', '/mailbox?per_page=100')).body;
  const sent = (messages as { to: string; subject: string; created_at: string }[]).map(
    ({ to, subject, created_at }) => `${created_at.slice(0, 16)} ${to} ${subject}`,
  );
  expect(sent.toSorted()).toEqual(expected.toSorted());
  await expectSound(server);
}
const numbers = async (id: number) => (await shop.marketing('GET', `/flows/${id}`)).body.stats;

describe('the library', () => {
  it('has flows for each part of a customer’s time with the shop', () => {
    expect(LIBRARY.map(({ library_name }) => library_name)).toEqual([
      ...['welcome', 'abandoned-cart', 'browse-abandonment', 'post-purchase', 'win-back', 'subscription-renewal'],
      ...['low-loyalty', 'review-request', 'replenishment', 'birthday', 'vip'],
    ]);
  });

  it('browse abandonment: four hours after a view, ended by an order, once a week', async () => {
    const flow = await activate('browse-abandonment');
    const view = { product_id: '7', product_name: 'Sencha' };
    await track(shop, ADA, 'product_viewed', view);
    await track(shop, BEA, 'product_viewed', view);
    await advanceTo(`${year}-03-15 14:00`);
    await track(shop, BEA, 'order_placed');
    await advanceTo(`${year}-03-17 12:00`);
    await track(shop, ADA, 'product_viewed', view);
    await advanceTo(`${year}-04-15 12:00`);
    await expectSent([`${year}-03-15 16:00 ${ADA} Still interested in Sencha?`]);
    expect(await numbers(flow)).toMatchObject({ entered: 2, completed: 1, exited: 1, active: 0 });
  });

  it('review request: a week after the delivery, and again without an order', async () => {
    const flow = await activate('review-request');
    await track(shop, ADA, 'order_completed');
    await track(shop, BEA, 'order_completed');
    await advanceTo(`${year}-03-25 12:00`);
    await track(shop, BEA, 'order_placed');
    await advanceTo(`${year}-05-15 12:00`);
    await expectSent([
      `${year}-03-22 12:00 ${ADA} What do you think of it?`,
      `${year}-03-22 12:00 ${BEA} What do you think of it?`,
      `${year}-04-01 12:00 ${ADA} Do you have a minute?`,
    ]);
    expect(await numbers(flow)).toMatchObject({ entered: 2, completed: 2, active: 0 });
  });

  it('replenishment: in the rhythm of the customer’s own orders', async () => {
    const flow = await activate('replenishment');
    await track(shop, ADA, 'order_placed');
    await track(shop, BEA, 'order_placed');
    await advanceTo(`${year}-03-22 12:00`);
    await track(shop, ADA, 'order_placed');
    await advanceTo(`${year}-04-14 12:00`);
    await track(shop, BEA, 'order_placed');
    await advanceTo(`${year}-07-15 12:00`);
    await expectSent([`${year}-03-28 12:00 ${ADA} Time for more?`, `${year}-05-10 12:00 ${BEA} Time for more?`]);
    // Customers with a single order have no rhythm yet.
    expect(await numbers(flow)).toMatchObject({ entered: 2, completed: 2, active: 0 });
  });

  it('birthday: every year at nine, ten years at most', async () => {
    const flow = await activate('birthday');
    await shop.marketing('POST', '/contacts', { email: ADA, properties: { birthday: '1988-02-29' } });
    await shop.marketing('POST', '/contacts', { email: BEA, properties: { birthday: '1990-03-15' } });
    for (const who of [ADA, BEA, 'cai@example.com']) await track(shop, who, 'customer_created');
    const first = year;
    year += 11;
    await advanceTo(`${year}-12-31 12:00`);
    const leap = (y: number): string => (y % 4 === 0 ? '02-29' : '02-28');
    const years = Array.from({ length: 10 }, (_, i) => first + 1 + i);
    await expectSent([
      ...years.map((y) => `${y}-${leap(y)} 09:00 ${ADA} Happy birthday!`),
      ...years.map((y) => `${y}-03-15 09:00 ${BEA} Happy birthday!`),
    ]);
    expect(await numbers(flow)).toMatchObject({ entered: 2, exited: 2, active: 0 });
  });

  it('VIP: once, with the order that reaches 500', async () => {
    const flow = await activate('vip');
    for (const total of [300, 250, 400]) await track(shop, ADA, 'order_placed', { total });
    await track(shop, BEA, 'order_placed', { total: 499 });
    await advanceTo(`${year}-05-15 12:00`);
    await expectSent([
      `${year}-03-15 12:00 ${ADA} You are one of our best customers`,
      `${year}-04-14 12:00 ${ADA} A first look, for you`,
    ]);
    expect((await contactOf(shop, ADA)).tags).toEqual(['vip']);
    expect((await shop.marketing('GET', '/flows/notifications')).body.notifications).toMatchObject([
      { message: 'A customer has reached 500 in all' },
    ]);
    expect(await numbers(flow)).toMatchObject({ entered: 1, completed: 1, active: 0 });
  });
});
