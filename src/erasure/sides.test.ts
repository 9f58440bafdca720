import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { dump, settle } from './markers.ts';
import { STEPS } from './steps.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

const rowsWith = async (word: string): Promise<string[]> =>
  (await dump(server)).filter(({ row }) => row.toLowerCase().includes(word)).map(({ table }) => table);

async function customer(name: string): Promise<number> {
  const input = { email: `${name}@example.com`, first_name: name };
  const { id } = (await shop.commerce('POST', '/customers', input)).body.data;
  await settle(server);
  return id;
}

test('former keys are searched as well, also those of merged contacts', async () => {
  let keys = 0;
  const post = async (body: object) =>
    (await shop.marketing('POST', '/contacts', body, { 'idempotency-key': `former-${keys++}` })).body.contact_id;
  const id = await post({ email: 'zqfirst@example.com', external_id: 'zqid-1', phone: '+12133730001' });
  await shop.marketing('PATCH', `/contacts/${id}`, {
    email: 'zqsecond@example.com',
    external_id: 'zqid-2',
    phone: null,
  });
  await post({ email: 'zqmerged@example.com' });
  expect(await post({ external_id: 'zqid-2', email: 'zqmerged@example.com' })).toBe(id);
  const addresses = ['e=zqfirst@example.com', 'e=zqsecond@example.com', 'e=zqmerged@example.com', 'customer=zqid-1'];
  await server.rows(
    `insert into tracked_links (company_id, url, hash)
     select $1, url, sha256(url::bytea) from unnest($2::text[]) part, lateral (select 'https://x.example/?' || part) u (url)`,
    [shop.company_id, addresses],
  );
  await post({ email: 'friend@example.com', properties: { friend: 'zqfirst@example.com' } });
  expect((await shop.marketing('DELETE', `/contacts/${id}`)).status).toBe(200);
  await settle(server);
  // Fields of another customer stay.
  expect(await rowsWith('zq')).toEqual(['contacts']);
  expect(await rowsWith('2133730001')).toEqual([]);
});

test('a key that another contact has now is kept, and the other keys of the erased contact are deleted', async () => {
  const at = (name: string): string => `${name}@example.com`;
  await shop.marketing('POST', '/contacts', { email: at('zqtaken') });
  await server.rows(
    `insert into tracked_links (company_id, url, hash)
     select $1, url, sha256(url::bytea) from unnest($2::text[]) part, lateral (select 'https://y.example/?e=' || part) u (url)`,
    [shop.company_id, [at('zqold'), at('zqtaken')]],
  );
  const keys = ['zqold', 'zqtaken'].map((name) => ({ email: at(name), phone: null, external_id: null }));
  const erased = { companyId: shop.company_id, contactIds: [], customerIds: [], keys, until: server.clock.now() };
  const links = STEPS.find(({ name }) => name === 'links')!;
  await server.app.db.tenantTx(shop.company_id, (tx) => links.run(tx, erased, ''));
  expect(await rowsWith('e=zqold')).toEqual([]);
  expect(await rowsWith('e=zqtaken')).toEqual(['tracked_links']);
});

test('DELETE /contacts/{id} keeps the customer, who becomes a contact again with the next order', async () => {
  const id = await customer('zqshopper');
  const [{ contact_id }] = (await shop.marketing('GET', '/contacts?search=zqshopper')).body.contacts;
  expect((await shop.marketing('DELETE', `/contacts/${contact_id}`)).status).toBe(200);
  expect((await shop.commerce('GET', `/customers/${id}`)).body.data.first_name).toBe('zqshopper');
});

test('an order placed during the erasure of its customer stores no personal data', async () => {
  const id = await customer('zqracer');
  // As written by an order that had read the customer before.
  await shop.commerce('DELETE', `/customers/${id}`);
  const payload = {
    customer_id: String(id),
    order_id: '1',
    email: 'zqracer@example.com',
    first_name: 'zqracer',
    total: 1,
  };
  await shop.marketing('POST', '/webhook-endpoints', { url: 'https://hooks.example.com/x' });
  await server.rows(
    `insert into outbox (company_id, topic, payload, occurred_at) values ($1, 'order_placed', $2, now())`,
    [shop.company_id, payload],
  );
  await settle(server);
  expect(await rowsWith('zqracer')).toEqual([]);
  const [delivery] = await server.rows<{ body: string }>(
    "select body from webhook_deliveries where event_type = 'order_placed'",
  );
  expect(JSON.parse(delivery!.body).event_data).toEqual({ customer_id: String(id), order_id: '1', total: 1 });
});

test('a mail composed before its contact was erased is not stored in the mailbox', async () => {
  const { contact_id } = (await shop.marketing('POST', '/contacts', { email: 'zqmail@example.com' })).body;
  const [message] = await server.rows<{ id: number }>(
    `with message as (
       insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, template, created_at)
       values ($1, 't:mail', 'email', true, 0, $2, now() + interval '1 day', 'system', 'x', now()) returning id
     )
     insert into message_claims (company_id, message_id, step, lease_until, recipient)
     select $1, id, 'handing_over', now() + interval '1 hour', 'zqmail@example.com' from message returning message_id::int as id`,
    [shop.company_id, contact_id],
  );
  await shop.marketing('DELETE', `/contacts/${contact_id}`);
  const { insertMailboxMessages } = await import('../messaging/send/transports/mailbox-queries.ts');
  const mail = { sender: 's', recipient: 'zqmail@example.com', subject: 'zqmail', preview_text: null, html: 'zqmail' };
  const row = {
    id: message!.id,
    channel: 'email' as const,
    contact_id,
    ...mail,
    text: null,
    headers: {},
    message_id: null,
  };
  await insertMailboxMessages(server.app.db, shop.company_id, [row], server.clock.now());
  expect(await rowsWith('zqmail')).toEqual([]);
});

test('names, rules and filters lose only the addresses of the person, and stay valid', async () => {
  const own = await server.company();
  const [email, phone] = ['nzq@example.com', '+12133730042'];
  const { contact_id } = (await own.marketing('POST', '/contacts', { email, phone })).body;
  const values = [
    ...['jo.nzq@example.com', 'xnzq@example.com', 'nzq@example.com.au', '\nzq@example.com', '\\nzq@example.com'],
    ...[12133730042, -12133730042, 1.2133730042, '121337300429', '1213373004', 'c:\\12133730042'],
    ...[
      email,
      'NZQ@example.com',
      phone,
      '12133730042',
      '+1 213-373 0042',
      '(213) 373-0042',
      '2133730042',
      `to ${email} or ${phone}`,
    ],
  ];
  const conditions = { rules: [{ field: 'properties.x', comparison: 'in', value: values }] };
  const { segment_id } = (await own.marketing('POST', '/segments', { name: 'Some', conditions })).body;
  const content = `<p>Write to ${email}, or call ${phone}</p>`;
  const call = { url: 'https://shop.example/in', headers: { 'x-to': email }, body: { to: email } };
  const { flow_id } = (
    await own.marketing('POST', '/flows', {
      name: 'Mail',
      trigger_type: 'order_placed',
      steps: [
        { step_id: 'mail', type: 'send_email', config: { from: email, subject: `For ${email}`, content } },
        { step_id: 'call', type: 'webhook', config: call },
        { step_id: 'tag', type: 'add_tag', config: { tag: email } },
      ],
      connections: [
        { from: 'trigger', to: 'mail' },
        { from: 'mail', to: 'call' },
        { from: 'call', to: 'tag' },
      ],
    })
  ).body;
  await own.marketing('DELETE', `/contacts/${contact_id}`);
  const segment = (await own.marketing('GET', `/segments/${segment_id}`)).body;
  const hidden = [...Array(7).fill('•••'), 'to ••• or •••'];
  expect(segment.conditions.rules[0].value).toEqual([...values.slice(0, -hidden.length), ...hidden]);
  // The texts of messages, their senders and requests to other systems are the shop's own.
  const [mail, request, tag] = (await own.marketing('GET', `/flows/${flow_id}`)).body.steps;
  expect(mail.config).toEqual({ from: email, subject: `For ${email}`, content });
  expect(request.config).toMatchObject(call);
  expect(tag.config.tag).toBe('•••');
});

test('an address that another contact has by now stays in names and rules', async () => {
  const own = await server.company();
  const email = 'handed-on@example.com';
  const { contact_id } = (await own.marketing('POST', '/contacts', { email })).body;
  const conditions = { rules: [{ field: 'email', comparison: 'equals', value: email }] };
  await own.marketing('POST', '/segments', { name: email, conditions });
  await own.marketing('PATCH', `/contacts/${contact_id}`, { email: 'handed-over@example.com' });
  await own.marketing('POST', '/contacts', { email });
  await own.marketing('DELETE', `/contacts/${contact_id}`);
  const [segment] = (await own.marketing('GET', '/segments')).body.segments;
  expect([segment.name, segment.conditions]).toEqual([email, conditions]);
});
