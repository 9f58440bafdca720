import { signUp, testStore } from '../../../../store/testing-store.ts';
import type { TestCompany, TestServer } from '../../../../testing/harness.ts';
import { addTestAccount } from '../account.ts';
import type { MollieDouble } from '../mollie/double.ts';
import type { StripeDouble } from '../stripe/double.ts';

/** The doubles of both services. */
export interface Services {
  stripe: StripeDouble;
  mollie: MollieDouble;
}

/** A shop with accounts at both services, little stock, and customers whose means of payment are saved. */
export interface RandomShop {
  company_id: number;
  key: string;
  commerce: TestCompany['commerce'];
  /** Of payment. */
  methods: readonly number[];
  tea: number;
  subscribers: readonly Subscriber[];
}

export interface Subscriber {
  customerId: number;
  savedId: number;
  /** The card at Stripe; null: it is saved at Mollie. */
  card: string | null;
}

export const ADDRESS = {
  shipping_address: '1 Main St',
  shipping_city: 'Oslo',
  shipping_zip: '0150',
  shipping_country: 'NO',
};
const HOUR = 3_600_000;

/** Opens one, with an hour between its customers, of whom a network may not pay more often. */
export async function openRandomShop(server: TestServer, { stripe, mollie }: Services): Promise<RandomShop> {
  const shop = await server.company();
  const { company_id, key, commerce } = shop;
  const made = async (path: string, body: object) => {
    const response = await commerce('POST', path, body);
    if (response.status > 201) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body.data;
  };
  const byStripe = await addTestAccount(server.app, company_id, 'stripe', stripe.account());
  const byMollie = await addTestAccount(server.app, company_id, 'mollie', mollie.account());
  stripe.registerWebhook(byStripe.webhook_url, { tl_company: String(company_id) });
  const method = async (fields: object): Promise<number> =>
    (await made('/payment-methods', { kind: 'any', name: 'Card', ...fields })).id;
  const ofStripe = { provider: 'stripe', account_id: byStripe.id };
  const ofMollie = { provider: 'mollie', account_id: byMollie.id };
  const card = await method(ofStripe);
  const hosted = await method({ ...ofMollie, kind: 'creditcard' });
  const others = [
    { ...ofStripe, capture: 'by_hand' },
    { ...ofStripe, capture: 'on_shipped' },
    { ...ofStripe, places: 'at_once' },
    ofMollie,
    { kind: 'bank_transfer', name: 'Transfer' },
  ];
  const methods = [card, hosted];
  for (const fields of others) methods.push(await method(fields));
  const tea = (await made('/products', { name: 'Tea', price: 10, stock_qty: 60, subscription_enabled: true })).id;
  const store = await testStore(server, company_id);

  async function subscriber(service: 'stripe' | 'mollie'): Promise<Subscriber> {
    server.clock.advance(HOUR);
    const { id, headers } = await signUp(server, shop, store, `${service}@example.com`);
    await store.send('POST', '/cart', { lines: [{ product_id: tea, qty: 1 }] }, headers);
    await store.send('PATCH', '/cart', ADDRESS, headers);
    const pay = {
      method_id: service === 'stripe' ? card : hosted,
      save_method: true,
      return_url: 'https://shop.example/paid',
    };
    const { payment } = (await store.send('POST', '/cart/pay', pay, headers)).body.data;
    if (service === 'mollie') mollie.buyer.pay(payment.provider_ref);
    else await stripe.buyer.confirm(payment.client_secret, 'pm_card_visa');
    const { cart_id: cart } = (await commerce('GET', `/payments/${payment.id}`)).body.data;
    await made(`/carts/${cart}/confirm`, {});
    const [saved] = (await commerce('GET', `/customers/${id}/saved-payment-methods`)).body.data;
    const at = service === 'stripe' ? stripe.intentById(payment.provider_ref).payment_method : null;
    return { customerId: id, savedId: saved.id, card: at };
  }

  const subscribers = [await subscriber('stripe'), await subscriber('mollie')];
  return { company_id, key, commerce, methods, tea, subscribers };
}
