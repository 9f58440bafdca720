import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Target } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

/** No other scenario creates carts, so these have the first ids. */
const CARTS = 1_000;
const LINES = 5;

/** Creates carts with five lines each and an address. */
async function addCarts({ port, shop }: Target): Promise<void> {
  const product = (i: number): number => shop.firstProduct + i;
  for (let n = 0; n < CARTS; n++) {
    const lines = Array.from({ length: LINES }, (_, i) => ({ product_id: product((n * LINES + i) % 5_000), qty: 1 }));
    const response = await fetch(`http://127.0.0.1:${port}/commerce/v1/carts`, {
      method: 'POST',
      headers: { 'X-API-Key': shop.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        customer_id: shop.firstCustomer + n,
        lines,
        shipping_address: '12 Harbour Street',
        shipping_city: 'Rotterdam',
        shipping_zip: '3011 AB',
        shipping_country: 'NL',
      }),
    });
    if (response.status !== 201) throw new Error(`POST /carts: ${response.status} ${await response.text()}`);
  }
}

const READ_PRODUCTS = (companyId: number): string => `
select p.id, p.name, p.sku, p.price, p.tax_class, p.requires_shipping, p.categories, p.track_stock, p.title, p.options, p.images, s.stock_qty
from carts c cross join lateral jsonb_to_recordset(c.lines) as l (product_id bigint)
join products p on p.company_id = ${companyId} and p.id = l.product_id
join product_stock s on s.company_id = ${companyId} and s.product_id = p.id
where c.company_id = ${companyId} and c.id = :id;`;

export const cartRead: Scenario = {
  name: 'cart-read',
  title: 'cart of 5 lines with its totals, any of 1,000',
  prepare: addCarts,
  requests: (target) => () => commerceRequest(target, target.shop, 'GET', `/carts/${randomBetween(1, CARTS)}`),
  status: 200,
  limit: {
    title: 'prepared reads of its row and its products with their stock',
    script: ({ shop: { companyId } }) => `
\\set id random(1, ${CARTS})
select * from carts where company_id = ${companyId} and id = :id;${READ_PRODUCTS(companyId)}`,
  },
  goal: 0.4,
};

export const cartLine: Scenario = {
  name: 'cart-line',
  title: 'one unit more of a line of a cart of 5 lines',
  prepare: addCarts,
  requests: (target) => () => {
    const id = randomBetween(1, CARTS);
    const product_id = target.shop.firstProduct + (((id - 1) * LINES) % 5_000);
    const body = JSON.stringify({ lines: [{ product_id, qty: 1 }] });
    return commerceRequest(target, target.shop, 'POST', `/carts/${id}/lines`, body);
  },
  status: 200,
  limit: {
    title: 'a transaction that locks its row, reads the products, and writes the row',
    script: ({ shop: { companyId } }) => `
\\set id random(1, ${CARTS})
begin;
select * from carts where company_id = ${companyId} and id = :id for no key update;${READ_PRODUCTS(companyId)}
update carts set lines = lines, updated_at = now() where company_id = ${companyId} and id = :id returning *;
commit;`,
  },
  goal: 0.6,
};
