import type { Db } from '../../../../db/pool.ts';
import { checkInvariants } from '../../../../invariants.ts';
import { paymentsOf, tried, type World } from './acts.ts';
import type { RandomShop } from './shop.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Longer than any operation waits for its next look-up. */
const STEP = 61 * 60_000;
const MOST_STEPS = 24 * 16;
/** Days until the fetches of a payment that has ended, each after the one before. */
const CHECKS = [1, 6, 23, 60, 91];

/** Services respond from now on, what waits is sent, and time passes until nothing is under way. */
export async function comeToRest(world: World, shops: readonly RandomShop[]): Promise<void> {
  const { stripe, mollie, rows, pass, work } = world;
  stripe.faults.stop();
  mollie.faults.stop();
  const sendWebhooks = async () => {
    await Promise.all([stripe.webhooks.release(), mollie.webhooks.release()]);
    await Promise.all([stripe.webhooks.idle(), mollie.webhooks.idle()]);
  };
  const step = async (ms: number) => {
    await pass(ms);
    await work();
  };
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    await sendWebhooks();
    await step(STEP);
    const [open] = await rows<{ n: number }>(
      `select ((select count(*) from payment_operations where due_at is not null)
        + (select count(*) from subscriptions where due_at is not null)
        + (select count(*) from payments where provider_ref is not null and (refund_pending > 0
          or status in ('created', 'action_required', 'processing', 'authorized'))))::int as n`,
    );
    if (open!.n === 0) break;
    if (steps === 4) for (const shop of shops) await endSubscriptions(world, shop);
    if (steps > 5) for (const shop of shops) await giveUp(world, shop);
  }
  // What no webhook has told is found later.
  for (const days of CHECKS) {
    await step(days * DAY);
    for (let turn = 0; turn < 2; turn++) await step(STEP);
  }
  await sendWebhooks();
  await step(STEP);
}

async function endSubscriptions({ rows }: World, { company_id, commerce }: RandomShop): Promise<void> {
  const ids = await rows<{ id: number }>(
    "select id::int from subscriptions where company_id = $1 and status <> 'cancelled'",
    [company_id],
  );
  for (const { id } of ids) await commerce('POST', `/subscriptions/${id}/cancel`);
}

/** Buyers who went away do not come back, what was processed for days fails, and staff give up what was authorized or is awaited. */
async function giveUp(world: World, shop: RandomShop): Promise<void> {
  const { stripe, mollie } = world;
  for (const { id, provider, provider_ref: ref, order_id, status } of await paymentsOf(world, shop)) {
    if (ref === null) continue;
    if (status === 'authorized' || (status === 'action_required' && order_id !== null)) {
      await shop.commerce('POST', `/payments/${id}/cancel`);
    } else if (status === 'processing') {
      if (provider === 'stripe') await tried(() => stripe.dashboard.settleProcessing(ref, 'failed'));
      else await tried(() => mollie.buyer.fail(ref));
    }
  }
}

/** All that is wrong at rest: invariants, differences between the services' books and ours, what is left over, and what was done twice. */
export async function findProblems({ stripe, mollie, rows }: World, db: Db): Promise<unknown[]> {
  const findings = (await checkInvariants(db)).filter(({ ok }) => !ok);
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
     where provider <> 'manual' and (status in ('created', 'action_required', 'processing', 'authorized')
       or order_id is null and captured - refunded - disputed > 0)`,
  );
  const open = await rows('select payment_id, kind, state, error from payment_operations where due_at is not null');
  const twice = await rows(
    `select 'refund' as what, company_id::int, reason as name from refunds where reason is not null group by company_id, reason having count(*) > 1
     union all
     select 'order of cycle', company_id::int, subscription_id::text || ' ' || cycle_date from subscription_cycles
     group by company_id, subscription_id, cycle_date having count(*) > 1
     union all
     select 'renewal paid twice', c.company_id::int, c.subscription_id::text || ' ' || c.cycle_date
     from carts c join payments p on p.company_id = c.company_id and p.cart_id = c.id
     where c.subscription_id is not null and p.captured > p.refunded + p.disputed
     group by c.company_id, c.subscription_id, c.cycle_date having count(*) > 1`,
  );
  return [...findings, ...differences, ...strangers, ...left, ...open, ...twice];
}
