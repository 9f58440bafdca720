import { commonRules, historyRules } from '../server/segment-rules.ts';
import { type Attack, type AttackRequest, batchOf, commerce, each, marketing, numbered } from './attack.ts';
import { makeDeadEndpoints } from './dead-endpoints.ts';

const KIB = 1024;

export const attacks: Attack[] = [
  {
    // What the machine itself does to the neighbour: no program that lets others use the processors can do better.
    name: 'processors',
    title: 'no requests, but programs of the lowest priority on all processors',
    connections: 0,
    spins: true,
    requests: () => each([]),
  },
  {
    name: 'liquid',
    title: 'previews of a template that writes 160,000 tags',
    connections: 32,
    requests: () => each([marketing('/templates/preview', { content: '{% for i in (1..160000) %}<b>{% endfor %}' })]),
  },
  {
    name: 'mjml',
    title: 'previews of MJML with 2,000 sections',
    connections: 32,
    requests: () => {
      const section = '<mj-section><mj-column><mj-text>Text</mj-text></mj-column></mj-section>';
      return each([
        marketing('/templates/preview', { content: `<mjml><mj-body>${section.repeat(2_000)}</mj-body></mjml>` }),
      ]);
    },
  },
  {
    name: 'segments',
    title: 'previews of segments by common rules and by history',
    connections: 32,
    requests: (_target, { list }) => {
      const rules = [...Object.values(commonRules(list)), ...Object.values(historyRules())];
      return each(rules.map((conditions) => marketing('/segments/preview', { conditions })));
    },
  },
  {
    name: 'searches',
    title: 'searches for two letters and pages far behind, of all lists',
    connections: 32,
    requests: () => {
      const get = (side: AttackRequest['side'], path: string): AttackRequest => ({ side, method: 'GET', path });
      return each([
        get('commerce', '/products?search=zz'),
        get('marketing', '/contacts?search=zz'),
        get('commerce', '/customers?search=zz'),
        get('marketing', '/contacts?page=1500&per_page=100'),
        get('commerce', '/products?page=90&per_page=100'),
        get('marketing', '/contacts?search=a&page=200'),
        get('marketing', '/events?per_page=100'),
        get('commerce', '/products?search=e&page=50'),
      ]);
    },
  },
  {
    name: 'contacts',
    title: 'batches of 500 contacts in a mebibyte',
    connections: 16,
    requests: () => {
      const person = (i: number): object => ({ email: `new-#-${i}@mail.example`, first_name: 'Ada', tags: ['vip'] });
      const long = { note: 'x'.repeat(1_850) };
      const wide = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`property_${i}`, i]));
      const patterns = [long, wide].map((properties) =>
        numbered(
          marketing(
            '/contacts/batch',
            batchOf('contacts', (i) => ({ ...person(i), properties })),
          ),
        ),
      );
      return (n) => patterns[n % 2]!(n);
    },
  },
  {
    name: 'events',
    title: 'batches of 500 events in a mebibyte',
    connections: 16,
    requests: () => {
      const event = (i: number): object => ({
        event_type: 'product_viewed',
        event_id: `#-${i}`,
        event_data: {
          email: `customer-${i}@shop.example`,
          product_id: '1',
          product_name: 'Mug',
          note: 'x'.repeat(1_800),
        },
      });
      return numbered(marketing('/events/batch', batchOf('events', event)));
    },
  },
  {
    name: 'bodies',
    title: 'bodies of a mebibyte with 99,000 values that are refused',
    connections: 16,
    requests: () => {
      const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => 1_000_000 + i);
      return each([
        commerce('/products', { name: 'Mug', price: -1, junk: numbers(99_000) }),
        commerce('/orders', { customer_id: 0, items: numbers(99_000) }),
        marketing('/events/batch', { events: numbers(99_000) }),
        marketing('/contacts', { email: 'x'.repeat(900 * KIB) }),
      ]);
    },
  },
  {
    name: 'webhooks',
    title: 'orders, told to ten endpoints that hang, behind 1,000 deliveries that are due',
    connections: 4,
    prepare: makeDeadEndpoints,
    requests: (_target, shop) => {
      const body = {
        customer_id: shop.firstCustomer,
        items: [{ product_id: shop.firstProduct, qty: 1 }],
        shipping_address: '12 Harbour Street',
        shipping_city: 'Rotterdam',
        shipping_zip: '3011 AB',
        shipping_country: 'NL',
      };
      return each([commerce('/orders', body)]);
    },
  },
  {
    name: 'connections',
    title: '1,000 connections that create products',
    connections: 1_000,
    requests: () => each([commerce('/products', { name: 'Mug', price: 9.5, description: 'A mug', stock_qty: 10 })]),
  },
  {
    name: 'passwords',
    title: 'wrong passwords of customers, and API keys that nobody has',
    connections: 64,
    requests: (_target, { firstCustomer, lastCustomer }) => {
      const customers = lastCustomer - firstCustomer + 1;
      return (n) => {
        if (n % 2 === 0) return { side: 'commerce', method: 'GET', path: '/products', key: `wrong-${n}` };
        return commerce(`/customers/${firstCustomer + (n % customers)}/verify-password`, { password: `wrong-${n}` });
      };
    },
  },
  {
    name: 'exports',
    title: 'exports of contacts',
    connections: 32,
    requests: (_target, { firstContact }) => {
      return (n) => ({ side: 'marketing', method: 'GET', path: `/contacts/${firstContact + (n % 100)}/export` });
    },
  },
];

/** @throws Error naming the existing ones */
export function attackNamed(name: string): Attack {
  const found = attacks.find((attack) => attack.name === name);
  if (found !== undefined) return found;
  throw new Error(`There is no attack ${name}; there are ${attacks.map((attack) => attack.name).join(', ')}`);
}
