import type { MollieDouble } from '../mollie/double.ts';
import type { BehaviorName } from '../stripe/cards.ts';
import { ADDRESS, type RandomShop, type Services, type Subscriber } from './shop.ts';

/** The doubles, and how tests see the shops' database and let time pass. */
export interface World extends Services {
  /** Rows of a statement of the test's own. */
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Time passes. */
  pass(ms: number): Promise<void>;
  /** Something breaks. */
  disturb(): Promise<unknown>;
  /** What is due is done. */
  work(): Promise<void>;
}

export interface Open {
  id: number;
  cart_id: number | null;
  order_id: number | null;
  provider: 'stripe' | 'mollie' | 'manual';
  provider_ref: string | null;
  status: string;
}

type Draw = (below: number) => number;

const CARDS = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_authenticationRequired',
  'pm_card_chargeDeclined',
  'pm_usBankAccount_processing',
];
const BEHAVIORS: readonly BehaviorName[] = ['succeeds', 'succeeds', 'succeeds', 'declined', 'challenges', 'processes'];
const MINUTE = 60_000;
const WEEKLY = 1;

export function paymentsOf({ rows }: World, { company_id }: RandomShop, since = new Date(0)): Promise<Open[]> {
  return rows<Open>(
    `select id::int, cart_id::int, order_id::int, provider, provider_ref, status from payments
     where company_id = $1 and created_at >= $2`,
    [company_id, since],
  );
}

/** One act of somebody at a shop, of whose payments some are `all`. What is refused is refused; only the end counts. */
export async function act(world: World, shop: RandomShop, all: readonly Open[], draw: Draw): Promise<unknown> {
  const { stripe, mollie } = world;
  const pick = <T>(of: readonly T[]): T | undefined => of[draw(of.length)];
  const ofService = all.filter(({ provider_ref }) => provider_ref !== null);
  const one = pick(ofService);
  const order = pick(all.filter(({ order_id }) => order_id !== null))?.order_id ?? null;
  const cart = pick(all.filter(({ cart_id }) => cart_id !== null))?.cart_id ?? null;
  const post = (path: string, body: object = {}) => shop.commerce('POST', path, body);
  switch (draw(20)) {
    case 0:
    case 1:
    case 2: {
      const lines = [{ product_id: shop.tea, qty: 1 + draw(3) }];
      const { status, body } = await post('/carts', { email: `g${draw(20)}@example.com`, lines, ...ADDRESS });
      return status === 201 ? post(`/carts/${body.data.id}/pay`, { method_id: pick(shop.methods) }) : null;
    }
    case 3:
    case 4:
    case 5:
    case 6:
      return one && buyerActs(world, one, draw);
    case 7:
      return cart && post(`/carts/${cart}/confirm`);
    case 8:
      return cart && post(`/carts/${cart}/${draw(2) === 0 ? 'reopen' : 'place'}`);
    case 9:
      return order && post(`/orders/${order}/refunds`, { amount: 1 + draw(30), reason: nextReason() });
    case 10: {
      const status = pick(['cancelled', 'processing', 'shipped']);
      return order && shop.commerce('PATCH', `/orders/${order}/status`, { status });
    }
    case 11:
      return one && post(`/payments/${one.id}/${draw(2) === 0 ? 'capture' : 'cancel'}`);
    case 12:
      return one && serviceActs(world, one, draw);
    case 13:
      return world.pass((1 + draw(draw(4) === 0 ? 300 : 20)) * MINUTE);
    case 14:
      return draw(2) === 0 ? Promise.all([stripe.webhooks.release(), mollie.webhooks.release()]) : world.work();
    case 15:
      return order && refundLine(world, shop, order, draw);
    case 16:
    case 17:
      return subscriberActs(world, shop, pick(shop.subscribers)!, draw);
    case 18:
      return staffActsOnSubscription(world, shop, draw);
    default:
      return draw(6) === 0 ? world.disturb() : null;
  }
}

let reasons = 0;

/** Occurs once, so that a refund that was made twice is found. */
function nextReason(): string {
  return `Reason ${++reasons}`;
}

async function refundLine({ rows }: World, shop: RandomShop, order: number, draw: Draw): Promise<unknown> {
  const [line] = await rows<{ id: number }>(
    'select id::int from order_items where company_id = $1 and order_id = $2 order by id limit 1',
    [shop.company_id, order],
  );
  if (line === undefined) return null;
  const lines = [{ line_id: line.id, qty: 1 + draw(2), restock: draw(2) === 0 }];
  return shop.commerce('POST', `/orders/${order}/refunds`, { lines, reason: nextReason() });
}

/** Subscribes, with a renewal that is due at once, or changes what the saved card does. */
async function subscriberActs(
  { stripe, mollie }: World,
  { commerce, tea }: RandomShop,
  { customerId, savedId, card }: Subscriber,
  draw: Draw,
): Promise<unknown> {
  if (draw(3) > 0) {
    const own = { customer_id: customerId, saved_method_id: savedId, product_id: tea, frequency_id: WEEKLY };
    return commerce('POST', '/subscriptions', { ...own, quantity: 1 + draw(2), ...ADDRESS });
  }
  if (card !== null) return stripe.dashboard.changeMethod(card, BEHAVIORS[draw(BEHAVIORS.length)]!);
  return mollie.dashboard.failNextCharge('insufficient_funds');
}

async function staffActsOnSubscription({ rows }: World, shop: RandomShop, draw: Draw): Promise<unknown> {
  const [one] = await rows<{ id: number }>(
    'select id::int from subscriptions where company_id = $1 order by id desc limit 1 offset $2',
    [shop.company_id, draw(10)],
  );
  const change = ['pause', 'resume', 'skip', 'cancel'][draw(4)]!;
  return one && shop.commerce('POST', `/subscriptions/${one.id}/${change}`);
}

async function buyerActs({ stripe, mollie }: World, { provider, provider_ref: ref }: Open, draw: Draw): Promise<void> {
  await tried(async () => {
    if (provider === 'mollie') return mollieBuyerActs(mollie, ref!, draw);
    const { status, client_secret } = stripe.intentById(ref!);
    if (status === 'requires_action') return stripe.buyer.completeChallenge(ref!, draw(2) === 0 ? 'passed' : 'failed');
    if (status === 'processing') return stripe.dashboard.settleProcessing(ref!, draw(2) === 0 ? 'succeeded' : 'failed');
    return stripe.buyer.confirm(client_secret, CARDS[draw(CARDS.length)]!);
  });
}

function mollieBuyerActs({ buyer }: MollieDouble, ref: string, draw: Draw): void {
  const acts = [buyer.pay, buyer.pay, buyer.fail, buyer.cancel, buyer.hold];
  acts[draw(acts.length)]!(ref);
}

async function serviceActs(
  { stripe, mollie }: World,
  { provider, provider_ref: ref }: Open,
  draw: Draw,
): Promise<void> {
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
export async function tried(change: () => unknown): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}
