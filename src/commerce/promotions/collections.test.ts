import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';

const server = testServer({ described: true });
let shop: TestCompany;
/** Ids by name, of products, collections and the customer. */
const ids: Record<string, number> = {};
const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };

const make = async (path: string, body: object) => {
  const made = await shop.commerce('POST', path, body);
  expect(made.body).toMatchObject({ data: {} });
  return made.body.data!;
};

beforeAll(async () => {
  shop = await server.company();
  const shirt = await make('/products', {
    name: 'Shirt',
    options: [{ name: 'Color', values: ['Red', 'Blue'] }],
    variants: [
      { price: 20, stock_qty: 99, options: [{ name: 'Color', value: 'Red' }] },
      { price: 30, stock_qty: 99, options: [{ name: 'Color', value: 'Blue' }] },
    ],
  });
  ids.shirt = shirt.id;
  [ids.red, ids.blue] = shirt.variants.map((variant: { id: number }) => variant.id) as [number, number];
  ids.mug = (await make('/products', { name: 'Mug', price: 10, stock_qty: 99 })).id;
  ids.customer = (await make('/customers', { email: 'ann@example.com' })).id;
  for (const name of ['clothes', 'kitchen']) ids[name] = (await make('/collections', { name, kind: 'manual' })).id;
  await list('clothes', 'shirt');
  await list('kitchen', 'mug');
});

const list = (collection: string, ...products: string[]) =>
  shop.commerce('PUT', `/collections/${ids[collection]}/products`, { product_ids: products.map((name) => ids[name]) });

let made = 0;
/** Creates a code for half the price of the collections' products, and returns its text. */
async function codeFor(collections: string[], more: object = {}): Promise<string> {
  const fields = { scope: 'collections', collection_ids: collections.map((name) => ids[name]) };
  return (await make('/promo-codes', { code: `HALF${++made}`, type: 'percent', value: 50, ...fields, ...more })).code;
}

function basket(promo_code: string | null, ...products: string[]): object {
  const items = products.map((name) => ({ product_id: ids[name], qty: 1 }));
  return { customer_id: ids.customer, items, ...ADDRESS, ...(promo_code === null ? {} : { promo_code }) };
}

const place = (promo: string | null, ...products: string[]) =>
  shop.commerce('POST', '/orders', basket(promo, ...products));
const discounts = async (promo: string, ...products: string[]): Promise<number[]> => {
  const { status, body } = await place(promo, ...products);
  expect([status, body]).toMatchObject([201, { data: {} }]);
  return body.data!.items.map((item: { discount: number }) => item.discount);
};
const reasonOf = ({ body }: { body: { error?: { details?: { reason?: unknown } } } }) => body.error?.details?.reason;

describe('promo codes for collections', () => {
  test('make the products of a collection cheaper, and all variants of these, as the calculation shows', async () => {
    const clothes = await codeFor(['clothes']);
    expect(await discounts(clothes, 'red', 'blue', 'mug')).toEqual([10, 15, 0]);
    expect(await discounts(await codeFor(['clothes', 'kitchen']), 'blue', 'mug')).toEqual([15, 5]);
    const calculated = await shop.commerce('POST', '/orders/calculate', basket(clothes, 'blue', 'mug'));
    expect(calculated.body.data).toMatchObject({ discount: 15 });
    const checked = await shop.commerce('POST', '/promo-codes/validate', basket(clothes, 'red'));
    expect(checked.body.data).toMatchObject({ valid: true, discount: 10 });
  });

  test('are not spent on an order without such a product', async () => {
    expect(reasonOf(await place(await codeFor(['kitchen']), 'red'))).toBe('promo_not_applicable');
  });

  test('follow the products of the collection', async () => {
    const code = await codeFor(['kitchen']);
    expect(await discounts(code, 'mug')).toEqual([5]);
    await list('kitchen', 'shirt');
    expect(reasonOf(await place(code, 'mug'))).toBe('promo_not_applicable');
    expect(await discounts(code, 'red')).toEqual([10]);
    await list('kitchen', 'mug');
  });

  test('keep their limits', async () => {
    const once = await codeFor(['clothes'], { usage_limit: 1, max_discount: 7 });
    expect(await discounts(once, 'red', 'mug')).toEqual([7, 0]);
    expect(reasonOf(await place(once, 'red'))).toBe('promo_usage_limit');
    const bundle = await codeFor(['clothes'], { type: 'buy_x_get_y', value: { buy: 1, get: 1 } });
    expect(await discounts(bundle, 'red', 'blue', 'mug')).toEqual([8, 12, 0]);
  });

  test('give coupons of the same collections', async () => {
    const template = await make('/promo-codes', {
      code: `SPRING`,
      type: 'fixed',
      value: 4,
      scope: 'collections',
      collection_ids: [ids.clothes],
      is_template: true,
    });
    const { codes } = await make(`/promo-codes/${template.id}/coupons`, { count: 1 });
    expect(await discounts(codes[0], 'red', 'mug')).toEqual([4, 0]);
    expect(reasonOf(await place(codes[0], 'red'))).toBe('promo_usage_limit');
  });

  test('add no statement to an order, with such a code or another', async () => {
    const plain = (await make('/promo-codes', { code: 'PLAIN', type: 'percent', value: 5 })).code;
    const count = async (code: string): Promise<number> =>
      (await recordStatements(async () => expect((await place(code, 'red')).status).toBe(201))).length;
    await place(plain, 'red');
    expect(await count(await codeFor(['clothes']))).toBe(await count(plain));
  });

  test('name collections of the shop, at least one', async () => {
    const fieldsOf = async (collection_ids: number[]) => {
      const body = { code: 'WRONG', type: 'percent', value: 5, scope: 'collections', collection_ids };
      const { status, body: refused } = await shop.commerce('POST', '/promo-codes', body);
      expect(status).toBe(422);
      const fields = refused.error!.details!.fields as unknown as { field: string; code: string }[];
      return fields.map(({ field, code }) => `${field} ${code}`);
    };
    expect(await fieldsOf([])).toEqual(['collection_ids required']);
    expect(await fieldsOf([ids.clothes!, 999_999])).toEqual(['collection_ids unknown']);
  });

  test('keep their collection from being deleted', async () => {
    const { id: used } = await make('/collections', { name: 'Used', kind: 'manual' });
    const body = { code: 'USED', type: 'percent', value: 5, scope: 'collections', collection_ids: [used] };
    const { id } = await make('/promo-codes', body);
    const refused = await shop.commerce('DELETE', `/collections/${used}`);
    expect([refused.status, refused.body.error!.details]).toMatchObject([
      422,
      { reason: 'in_use', promo_code_ids: [id] },
    ]);
    const { body: widened } = await shop.commerce('PATCH', `/promo-codes/${id}`, { scope: 'order' });
    expect(widened.data).toMatchObject({ collection_ids: [] });
    expect((await shop.commerce('DELETE', `/collections/${used}`)).status).toBe(200);
  });

  test('keep it for their coupons, until these are switched off', async () => {
    const { id: mailed } = await make('/collections', { name: 'Mailed', kind: 'manual' });
    const fields = { type: 'percent', value: 5, scope: 'collections', collection_ids: [mailed] };
    const template = await make('/promo-codes', { ...fields, code: 'MAILED', is_template: true });
    const { codes } = await make(`/promo-codes/${template.id}/coupons`, { count: 1 });
    await shop.commerce('PATCH', `/promo-codes/${template.id}`, { collection_ids: [ids.clothes] });
    const remove = () => shop.commerce('DELETE', `/collections/${mailed}`);
    expect(reasonOf(await remove())).toBe('in_use');
    const [coupon] = (await shop.commerce('GET', `/promo-codes?code=${codes[0]}`)).body.data!;
    await shop.commerce('PATCH', `/promo-codes/${coupon.id}`, { active: false });
    expect((await remove()).status).toBe(200);
    const later = await shop.commerce('PATCH', `/promo-codes/${coupon.id}`, { per_customer_limit: 1 });
    expect([later.status, later.body.data!.collection_ids]).toEqual([200, [mailed]]);
  });
});
