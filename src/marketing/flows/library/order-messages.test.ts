import { beforeAll, describe, expect, test } from 'vitest';
import { issueSignIn } from '../../../access/sessions.ts';
import { testServer } from '../../../testing/harness.ts';
import { stranger, type TestPerson } from '../../../testing/people.ts';

const server = testServer({ described: true });
const ADDRESS = {
  shipping_address: '12 Rowan Street',
  shipping_city: 'Portland',
  shipping_state: 'OR',
  shipping_zip: '97205',
  shipping_country: 'US',
};

let operator: TestPerson;
beforeAll(async () => {
  operator = stranger(server);
  await operator.ask('POST', '/links/use', { token: await issueSignIn(server.app.db, server.clock.now()) });
});

async function untilIdle(): Promise<void> {
  await server.app.versions.refresh();
  for (let done = 1; done > 0; ) {
    done = 0;
    for (const worker of server.app.workers) done += await worker.runOnce();
  }
}

interface Mail {
  id: number;
  subject: string;
  preview_text: string | null;
  text: string;
  html: string;
}

/** A company created in the admin app, with a product, a rate for shipping and a tax. */
async function openShop(country: 'US' | 'DE') {
  const currency = country === 'DE' ? 'EUR' : 'USD';
  const fields = { name: 'Rowan & Thistle', country, currency, time_zone: 'UTC' };
  const { id } = (await operator.ask('POST', '/companies', fields)).body;
  const ask = async (method: string, path: string, body?: object) => {
    const response = await operator.ask(method, `/${id}${path}`, body);
    expect([method, path, response.status < 300, response.body]).toEqual([method, path, true, expect.anything()]);
    return response.body.data ?? response.body;
  };
  const [method] = await ask('GET', '/shipping-methods');
  await ask('PATCH', `/shipping-methods/${method.id}`, { cost: 4.5 });
  await ask('POST', '/tax-rules', { name: 'Sales tax', country: 'US', rate: 0.1 });
  const mug = await ask('POST', '/products', { name: 'Mug', price: 1250, stock_qty: 99 });
  const tea = await ask('POST', '/products', { name: 'Earl Grey', price: 3, stock_qty: 99 });
  return {
    id: id as number,
    ask,
    customer: async (email: string, properties?: object) => {
      const { id: customerId } = await ask('POST', '/customers', { email, first_name: 'Ada', last_name: 'Byron' });
      await untilIdle();
      if (properties === undefined) return customerId as number;
      const { contacts } = await ask('GET', `/contacts?search=${email}`);
      await ask('PATCH', `/contacts/${contacts[0].contact_id}`, { properties });
      return customerId as number;
    },
    place: async (customer_id: number) => {
      const items = [
        { product_id: mug.id, qty: 1 },
        { product_id: tea.id, qty: 2 },
      ];
      return (await ask('POST', '/orders', { customer_id, items, ...ADDRESS })).id as number;
    },
    move: (order: number, status: string, parcel: object = {}) =>
      ask('PATCH', `/orders/${order}/status`, { status, ...parcel }),
    /** The e-mails that arrived since the last call, the oldest first. */
    mails: async (): Promise<Mail[]> => {
      await untilIdle();
      const { messages } = await ask('GET', '/mailbox?per_page=100');
      const ids = (messages as { id: number }[]).map((one) => one.id).filter((one) => !seen.has(one));
      for (const one of ids) seen.add(one);
      return Promise.all(ids.toSorted((a, b) => a - b).map((one) => ask('GET', `/mailbox/${one}`)));
    },
    flows: async (): Promise<{ flow_id: number; name: string; status: string; trigger_type: string }[]> =>
      (await ask('GET', '/flows')).flows,
    templates: async (): Promise<{ template_id: number; name: string; design: { blocks: object[] } }[]> =>
      (await ask('GET', '/templates?per_page=100')).templates,
  };
}
const seen = new Set<number>();

/** The lines of an e-mail, without those that are empty. Long ones are broken, and amounts have a space that does not break. */
const linesOf = ({ text }: Mail): string[] =>
  text
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

describe('a company that was created in the admin app', () => {
  test('has five active flows, and their templates in two languages as blocks', async () => {
    const shop = await openShop('US');
    expect((await shop.flows()).map(({ name, status, trigger_type }) => [name, status, trigger_type])).toEqual([
      ['Order cancelled', 'active', 'order_cancelled'],
      ['Order delivered', 'active', 'order_completed'],
      ['Order shipped', 'active', 'order_shipped'],
      ['Order received', 'active', 'order_placed'],
      ['Payment reminder', 'active', 'payment_pending'],
    ]);
    const templates = await shop.templates();
    expect(templates.map(({ name }) => name).toSorted()).toEqual(
      ['Order cancelled', 'Order delivered', 'Order received', 'Order shipped', 'Payment reminder'].flatMap((name) => [
        name,
        `${name} (German)`,
      ]),
    );
    for (const { template_id, design } of templates) {
      expect(design.blocks.length).toBeGreaterThan(5);
      const { findings } = await shop.ask('POST', `/templates/preview/${template_id}`);
      // Nothing knows here that the flow sends them as transactional messages.
      expect(findings.map(({ code }: { code: string }) => code)).toEqual(['no_unsubscribe']);
    }
  });

  test('tells a guest at once how to pay, in the language of the company', async () => {
    const mailOf = async (country: 'US' | 'DE', email: string) => {
      const shop = await openShop(country);
      const method = { kind: 'bank_transfer', name: 'Bank transfer', instructions: 'IBAN NO93 8601 1117 947' };
      const { id: method_id } = await shop.ask('POST', '/payment-methods', method);
      const { id: product_id } = await shop.ask('POST', '/products', { name: 'Pot', price: 20, stock_qty: 9 });
      const cart = await shop.ask('POST', '/carts', { email, lines: [{ product_id, qty: 1 }], ...ADDRESS });
      await shop.ask('POST', `/carts/${cart.id}/pay`, { method_id });
      const [mail, ...others] = await shop.mails();
      expect(others).toEqual([]);
      return { subject: mail!.subject, lines: linesOf(mail!).join(' ') };
    };
    const english = await mailOf('US', 'guest@example.com');
    expect(english.subject).toMatch(/^How to pay for your order: PAY-\d+$/);
    expect(english.lines).toMatch(/Please pay \$26\.50 by \d{4}-\d{2}-\d{2}\./);
    expect(english.lines).toContain('IBAN NO93 8601 1117 947');
    const german = await mailOf('DE', 'gast@example.com');
    expect(german.subject).toMatch(/^So bezahlen Sie Ihre Bestellung: PAY-\d+$/);
    expect(german.lines).toContain('Bitte zahlen Sie 26,50 € bis zum');
  });

  test('writes to a customer without marketing consent when an order is received, shipped, delivered and cancelled', async () => {
    const shop = await openShop('US');
    const customer = await shop.customer('ada@example.com');
    const order = await shop.place(customer);
    const [received, ...others] = await shop.mails();
    expect(others).toEqual([]);
    expect(received!.subject).toBe(`We have received your order ${order}`);
    const content = [
      ...['1 × Mug: $1,250.00', '2 × Earl Grey: $6.00'],
      ...['Subtotal: $1,256.00', 'Shipping (Standard): $4.50', 'Tax: $125.60', 'Total: $1,386.10'],
      ...['Shipping address', 'Ada Byron', '12 Rowan Street', 'Portland, OR 97205', 'US', 'Rowan & Thistle'],
    ];
    expect(linesOf(received!)).toEqual([
      'Thank you for your order',
      'Hello Ada,',
      `We have received your order ${order}. You will get another e-mail as soon as it is on`,
      'its way.',
      ...content,
    ]);
    expect(received!.html).not.toMatch(/unsubscribe/i);

    await shop.move(order, 'processing');
    await shop.move(order, 'shipped', { tracking_number: 'FH-88-12', carrier: 'DHL' });
    const [shipped] = await shop.mails();
    expect(shipped).toMatchObject({
      subject: `Your order ${order} is on its way`,
      preview_text: 'Tracking number FH-88-12',
    });
    expect(linesOf(shipped!)).toEqual([
      ...['Your order is on its way', 'Hello Ada,', `We have shipped your order ${order}.`],
      ...['Tracking number: FH-88-12', 'Carrier: DHL', ...content],
    ]);

    await shop.move(order, 'delivered');
    const [delivered] = await shop.mails();
    expect(delivered!.subject).toBe(`Your order ${order} has been delivered`);
    expect(linesOf(delivered!)).toEqual(expect.arrayContaining(content));

    const second = await shop.place(customer);
    expect(await shop.mails()).toHaveLength(1);
    await shop.move(second, 'cancelled');
    const [cancelled, ...more] = await shop.mails();
    expect(more).toEqual([]);
    expect(cancelled!.subject).toBe(`Your order ${second} has been cancelled`);
    expect(linesOf(cancelled!)).toEqual(expect.arrayContaining(content));

    const { messages } = await shop.ask('GET', '/messages?per_page=100');
    expect(
      (messages as { status: string; transactional: boolean }[]).map((one) => [one.status, one.transactional]),
    ).toEqual(Array.from({ length: 5 }, () => ['sent', true]));
  });

  test('writes in the language of the customer, and otherwise in that of its country', async () => {
    const american = await openShop('US');
    const german = await openShop('DE');
    const subjectFor = async (shop: typeof german, email: string, properties?: object) => {
      const order = await shop.place(await shop.customer(email, properties));
      const [mail] = await shop.mails();
      return mail!.subject.replace(` ${order}`, '');
    };
    const ENGLISH = 'We have received your order';
    const GERMAN = 'Wir haben Ihre Bestellung erhalten';
    expect(await subjectFor(american, 'a@example.com', { language: 'de-AT' })).toBe(GERMAN);
    expect(await subjectFor(american, 'b@example.com', { locale: 'de' })).toBe(GERMAN);
    expect(await subjectFor(american, 'c@example.com', { language: 'en', locale: 'de' })).toBe(ENGLISH);
    expect(await subjectFor(american, 'd@example.com', { language: 'fr' })).toBe(ENGLISH);
    expect(await subjectFor(german, 'e@example.com', { language: 'en' })).toBe(ENGLISH);
    expect(await subjectFor(german, 'f@example.com')).toBe(GERMAN);
    expect((await german.ask('GET', '/sending-settings')).language).toBe('de');
  });

  test('writes German texts', async () => {
    const shop = await openShop('DE');
    const order = await shop.place(await shop.customer('ada@example.de'));
    const [received] = await shop.mails();
    const content = [
      ...['1 × Mug: 1.250,00 €', '2 × Earl Grey: 6,00 €'],
      ...['Zwischensumme: 1.256,00 €', 'Versand (Standard): 4,50 €', 'Steuern: 125,60 €', 'Gesamtsumme: 1.386,10 €'],
      ...['Lieferadresse', 'Ada Byron', '12 Rowan Street', '97205 Portland, OR', 'US', 'Rowan & Thistle'],
    ];
    expect(linesOf(received!)).toEqual([
      'Vielen Dank für Ihre Bestellung',
      'Guten Tag Ada,',
      `wir haben Ihre Bestellung ${order} erhalten. Sobald sie unterwegs ist, schreiben wir`,
      'Ihnen wieder.',
      ...content,
    ]);
    await shop.move(order, 'processing');
    await shop.move(order, 'shipped', { tracking_number: 'T-7' });
    const [shipped] = await shop.mails();
    expect(shipped!.subject).toBe(`Ihre Bestellung ${order} ist unterwegs`);
    expect(linesOf(shipped!)).toContain('Sendungsnummer: T-7');
    expect(linesOf(shipped!).join(' ')).not.toContain('Versand durch');
    await shop.move(order, 'delivered');
    const second = await shop.place(await shop.customer('bea@example.de'));
    await shop.move(second, 'cancelled');
    expect((await shop.mails()).map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([
        `Ihre Bestellung ${order} wurde zugestellt`,
        `Ihre Bestellung ${second} wurde storniert`,
      ]),
    );
  });

  test('keeps flows that were paused, and e-mails that were edited', async () => {
    const shop = await openShop('US');
    const [cancelled] = await shop.flows();
    await shop.ask('POST', `/flows/pause/${cancelled!.flow_id}`, {});
    const edited = (await shop.templates()).find(({ name }) => name === 'Order received')!;
    const blocks = [{ id: 'a', type: 'text', text: 'We have it: {{ order.order_id }}' }];
    await shop.ask('PATCH', `/templates/${edited.template_id}`, { subject: 'Got it', design: { blocks } });
    await shop.ask('PATCH', '/brand-kit', { address: 'Mill Lane 2', style: { text: '#112233' } });
    await openShop('US');

    const order = await shop.place(await shop.customer('ada@example.net'));
    await shop.move(order, 'cancelled');
    const mails = await shop.mails();
    expect(mails.map((mail) => [mail.subject, linesOf(mail)])).toEqual([['Got it', [`We have it: ${order}`]]]);
    const { status } = (await shop.flows()).find(({ flow_id }) => flow_id === cancelled!.flow_id)!;
    expect(status).toBe('paused');
  });

  test('writes in the colors and with the logo of its brand kit, which unedited e-mails follow', async () => {
    const shop = await openShop('US');
    await shop.ask('PATCH', '/brand-kit', {
      logo_url: 'https://rowan.example/logo.png',
      website_url: 'https://rowan.example/',
      address: 'Mill Lane 2\nTrier',
      style: { background: '#fafad2' },
    });
    await shop.ask('PATCH', '/brand-kit', { style: { background: '#fafad3', text: '#112233' } });
    const order = await shop.place(await shop.customer('ada@example.org'));
    const [mail] = await shop.mails();
    expect(mail!.subject).toBe(`We have received your order ${order}`);
    for (const part of ['https://rowan.example/logo.png', '#fafad3', '#112233']) expect(mail!.html).toContain(part);
    expect(linesOf(mail!).slice(-3)).toEqual(['Rowan & Thistle', 'Mill Lane 2', 'Trier']);
  });

  test('starts no run for orders that another shop tells of', async () => {
    const shop = await openShop('US');
    const event_data = { order_id: 'X-1', email: 'ada@example.info', total: 12, customer_id: '7', items: [] };
    const key = await shop.ask('POST', '/keys', { name: 'shop', scopes: ['*'] });
    const sent = await server.request('POST', '/marketing/v1/events', {
      body: { event_type: 'order_placed', event_data },
      headers: { authorization: `Bearer ${key.key}`, 'x-company-id': String(shop.id) },
    });
    expect([sent.status, sent.body.flows_triggered]).toEqual([201, []]);
  });
});

test('a company as tests create it has no flows', async () => {
  const shop = await server.company();
  expect((await shop.marketing('GET', '/flows')).body.flows).toEqual([]);
});
