import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Target, TargetShop } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

const ADDRESS = {
  shipping_address: '12 Harbour Street',
  shipping_city: 'Rotterdam',
  shipping_zip: '3011 AB',
  shipping_country: 'NL',
};

function orderRequest(target: Target, productIds: number[], shop = target.shop, more = {}): string {
  const body = {
    customer_id: randomBetween(shop.firstCustomer, shop.lastCustomer),
    items: productIds.map((product_id) => ({ product_id, qty: randomBetween(1, 3) })),
    ...ADDRESS,
    ...more,
  };
  return commerceRequest(target, shop, 'POST', '/orders', JSON.stringify(body));
}

/** Three distinct products: each is chosen from a third of the ids of its own. */
function thirds(shop: TargetShop): { from: number; to: number }[] {
  const third = Math.floor((shop.lastProduct - shop.firstProduct + 1) / 3);
  return [0, 1, 2].map((i) => {
    const from = shop.firstProduct + i * third;
    return { from, to: from + third - 1 };
  });
}

/** One call of the function in order-function.sql, which is one transaction. */
function callOfFunction({ shop }: Target, ranges: { from: number; to: number }[]): string {
  const names = ranges.map((_, i) => `p${i}`);
  return `
\\set customer random(${shop.firstCustomer}, ${shop.lastCustomer})
${ranges.map(({ from, to }, i) => `\\set p${i} random(${from}, ${to})\n\\set q${i} random(1, 3)`).join('\n')}
select bench_order(${shop.companyId}, :customer, array[${names.map((name) => `:${name}`).join(', ')}]::bigint[],
  array[${names.map((_, i) => `:q${i}`).join(', ')}]::int[]);`;
}

export const orderRandom: Scenario = {
  name: 'order',
  title: 'order of 3 random products of 10,000',
  requests: (target) => {
    const ranges = thirds(target.shop);
    return () =>
      orderRequest(
        target,
        ranges.map(({ from, to }) => randomBetween(from, to)),
      );
  },
  status: 201,
  limit: {
    title: 'one SQL function doing the whole order',
    script: (target) => callOfFunction(target, thirds(target.shop)),
  },
  goal: 0.8,
};

export const orderLocations: Scenario = {
  name: 'order-locations',
  title: 'order of 3 random products of 10,000 in a company with three locations',
  needs: 'locations',
  requests: (target) => {
    const shop = target.locationShop!;
    const ranges = thirds(shop);
    return () =>
      orderRequest(
        target,
        ranges.map(({ from, to }) => randomBetween(from, to)),
        shop,
      );
  },
  status: 201,
  limit: {
    title: 'one SQL function doing the whole order, with levels and allocations',
    script: ({ locationShop: shop }) => {
      const { companyId, firstCustomer, lastCustomer } = shop!;
      const ranges = thirds(shop!);
      return `
\\set customer random(${firstCustomer}, ${lastCustomer})
${ranges.map(({ from, to }, i) => `\\set p${i} random(${from}, ${to})\n\\set q${i} random(1, 3)`).join('\n')}
select bench_order_at_locations(${companyId}, :customer, array[:p0, :p1, :p2]::bigint[], array[:q0, :q1, :q2]::int[],
  (select id from locations where company_id = ${companyId} and main));`;
    },
  },
  goal: 1.2,
};

export const orderHot: Scenario = {
  name: 'order-hot',
  title: 'orders that all want one product',
  requests: (target) => () => orderRequest(target, [target.shop.firstProduct]),
  status: 201,
  limit: {
    title: 'the same function',
    script: (target) => {
      const { firstProduct } = target.shop;
      return callOfFunction(target, [{ from: firstProduct, to: firstProduct }]);
    },
  },
  goal: 3,
};

/** Points that every such order redeems; it earns more than that. */
const REDEEMED = 100;

export const orderFull: Scenario = {
  name: 'order-full',
  title: 'order of 3 products with promo code, tax, shipping and points',
  requests: (target) => {
    const ranges = thirds(target.fullShop);
    const more = { promo_code: 'bench', redeem_points: REDEEMED };
    return () => {
      const products = ranges.map(({ from, to }) => randomBetween(from, to));
      return orderRequest(target, products, target.fullShop, more);
    };
  },
  status: 201,
  limit: {
    title: 'one SQL function doing the whole of it',
    script: ({ fullShop }) => {
      const ranges = thirds(fullShop);
      return `
\\set customer random(${fullShop.firstCustomer}, ${fullShop.lastCustomer})
${ranges.map(({ from, to }, i) => `\\set p${i} random(${from}, ${to})\n\\set q${i} random(1, 3)`).join('\n')}
select bench_order_full(${fullShop.companyId}, :customer, array[:p0, :p1, :p2]::bigint[], array[:q0, :q1, :q2]::int[],
  ${REDEEMED});`;
    },
  },
  goal: 0.6,
};
