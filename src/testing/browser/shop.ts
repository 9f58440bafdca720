import type { TestCompany } from '../harness.ts';

const LONG = 'Wilhelmina Konstantinopolitanskaya-Featherstonehaugh';

/** A shop with what tests a layout: long names, large amounts, several states. Gives the ids of its orders. */
export async function fillShop(shop: TestCompany): Promise<number[]> {
  const made = async (path: string, body: object): Promise<number> => {
    const response = await shop.commerce('POST', path, body);
    if (response.status !== 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    return response.body.data.id as number;
  };
  const [first, last] = LONG.split(' ');
  const customer = await made('/customers', { email: 'wilhelmina@example.com', first_name: first, last_name: last });
  const plain = await made('/products', {
    name: 'Sencha, first flush, in a tin that is handmade in Kyoto by the seventh generation of one family',
    ...{ price: 1_250, stock_qty: 500, sku: 'SENCHA-FIRST-FLUSH-TIN-0001', categories: ['tea'] },
  });
  await made('/products', { name: 'Whisk', price: 19.9, stock_qty: 0 });
  const zone = await made('/shipping-zones', { name: 'Everywhere' });
  await made('/shipping-methods', { zone_id: zone, name: 'Standard', type: 'free_over', cost: 4.9, free_over: 50 });
  await made('/tax-rules', { name: 'VAT NL 21 %', country: 'NL', rate: 0.21 });
  await made('/promo-codes', { code: 'WELCOME10', type: 'percent', value: 10, usage_limit: 1_000 });
  const orders: number[] = [];
  for (let qty = 8; qty > 0; qty--) {
    orders.push(
      await made('/orders', {
        ...{ customer_id: customer, items: [{ product_id: plain, qty }], shipping_address: '12 Long Lane' },
        ...{ shipping_city: 'Amsterdam', shipping_zip: '1016 EK', shipping_country: 'NL' },
      }),
    );
  }
  return orders;
}
