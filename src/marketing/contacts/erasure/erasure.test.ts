import { beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

const SECRET = 'xq7secretperson';

/** Every row of the company in every table, as text. */
async function everything(): Promise<{ table: string; row: string }[]> {
  const tables = await server.rows<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`);
  const found: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    for (const { row } of await server.rows<{ row: string }>(`select t::text as row from ${name} t`)) {
      found.push({ table: name, row });
    }
  }
  return found;
}

async function aPerson(name: string): Promise<number> {
  const email = `${name}@example.com`;
  const list = await shop.marketing('POST', '/lists', { name: 'all' });
  const { body } = await shop.marketing(
    'POST',
    '/contacts',
    {
      email,
      first_name: name,
      last_name: name,
      phone: '+12133734253',
      external_id: name,
      tags: [name],
      properties: { [name]: name },
      list_ids: [list.body.list_id],
    },
    { 'idempotency-key': `make-${email.length}` },
  );
  await shop.marketing('PATCH', `/contacts/${body.contact_id}`, { source: name }, { 'idempotency-key': 'patch' });
  await shop.marketing('POST', '/events', {
    event_type: 'order_placed',
    event_data: { email, order_id: name, total: 12.5 },
    event_id: name,
  });
  await shop.marketing('POST', `/contacts/unsubscribe/${body.contact_id}`);
  return Number(body.contact_id);
}

/** Inserts rows in tables that only flows and messages write, with the person in every text column. */
async function hangEverythingOn(id: number, { company_id: company } = shop): Promise<void> {
  const json = JSON.stringify({ visits: {}, vars: { reply: SECRET }, hops: 0 });
  await server.rows(
    `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, recipient, status, reply, due_at, origin, data, created_at)
     values ($1, 't:1', 'email', false, 1, $2, $3, 'sent', $3, now(), 'system', jsonb_build_object('a', $3::text), now())`,
    [company, id, SECRET],
  );
  await server.rows(
    `insert into mailbox_messages (company_id, id, channel, contact_id, sender, recipient, subject, html, created_at)
     values ($1, 1, 'email', $2, 's', $3, $3, $3, now())`,
    [company, id, SECRET],
  );
  await server.rows(
    `insert into tracked_links (company_id, url, hash)
     select $1, url, sha256(url::bytea) from unnest($2::text[]) url`,
    [
      company,
      [`https://shop.example/?to=${SECRET}%40EXAMPLE.com`, `https://shop.example/${SECRET}`, 'https://shop.example/'],
    ],
  );
  await server.rows(
    `with run as (
       insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, listens, event, state, due_at, entered_at)
       values ($1, 1, 1, $2, 0, 'active', '{}',
         jsonb_build_object('data', jsonb_build_object('email', $3::text)), $4, now(), now()) returning id
     ),
     log as (
       insert into flow_run_log (company_id, run_id, seq, at, entries)
       select $1, id, 1, now(), jsonb_build_array($3::text) from run
     ),
     signal as (insert into flow_signals (company_id, run_id, signal) select $1, id, to_jsonb($3::text) from run),
     call as (
       insert into flow_webhook_calls (company_id, flow_id, version, run_id, step_id, visit, due_at, error, created_at)
       select $1, 1, 1, id, 's', 1, now(), $3, now() from run
     )
     insert into flow_emissions (company_id, flow_id, run_id, step_id, visit, contact_id, event_type, data)
     select $1, 1, id, 's', 1, $2, 'x', to_jsonb($3::text) from run`,
    [company, id, SECRET, json],
  );
  await server.rows(
    `insert into flow_notifications (company_id, flow_id, run_id, step_id, contact_id, message, created_at)
     values ($1, 1, 1, 's', $2, $3, now())`,
    [company, id, SECRET],
  );
}

describe('DELETE /contacts/{id}', () => {
  test('leaves no personal data in any table; counts stay', async () => {
    const id = await aPerson(SECRET);
    await hangEverythingOn(id);
    expect((await everything()).filter(({ row }) => row.includes(SECRET)).length).toBeGreaterThan(10);
    const response = await shop.marketing('DELETE', `/contacts/${id}`);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ contact_id: id, deleted: true });
    expect((await everything()).filter(({ row }) => row.includes(SECRET))).toEqual([]);
    expect(await server.rows('select event_type, amount::float8 from events where contact_id = $1', [id])).toHaveLength(
      1,
    );
    expect(await server.rows('select 1 from messages where contact_id = $1', [id])).toHaveLength(1);
    expect(await server.rows('select url from tracked_links')).toEqual([{ url: 'https://shop.example/' }]);
    expect(await server.rows('select contact_id::int from contact_erasures')).toEqual([{ contact_id: id }]);
    expect((await shop.marketing('GET', `/contacts/${id}`)).status).toBe(404);
    expect((await shop.marketing('DELETE', `/contacts/${id}`)).status).toBe(404);
    expect((await shop.marketing('GET', '/contacts')).body.pagination.total).toBe(0);
  });

  test('covers every table that refers to contacts', async () => {
    const tables = await server.rows<{ name: string }>(`
      select distinct c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'contact_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace = 'public'::regnamespace order by 1`);
    // Before a table is added here, it must be handled in dependents-queries.ts and src/erasure/contact-queries.ts.
    expect(tables.map(({ name }) => name)).toEqual([
      // Deleted in a separate step in src/erasure/steps.ts.
      'audit_values',
      'campaign_hold_outs',
      'contact_activity',
      'contact_consents',
      'contact_erasures',
      'contact_former_keys',
      // Removed by a trigger on contacts.
      'contact_last_activity',
      // Maintained by a trigger on events.
      'event_totals',
      'events',
      'flow_emissions',
      'flow_entries',
      'flow_notifications',
      'flow_runs',
      'flow_segment_members',
      'form_submissions',
      'list_memberships',
      'mailbox_messages',
      'message_activity',
      'message_totals',
      'messages',
      'soft_bounces',
    ]);
  });

  test('a repeated earlier request responds without personal data', async () => {
    const body = { email: 'repeated@example.com' };
    const headers = { 'idempotency-key': 'before-erasure' };
    const { contact_id: id } = (await shop.marketing('POST', '/contacts', body, headers)).body;
    await shop.marketing('DELETE', `/contacts/${id}`);
    const again = await shop.marketing('POST', '/contacts', body, headers);
    expect(again.status).toBe(201);
    expect(again.body).toEqual({});
    expect(await server.rows("select 1 from contacts where email = 'repeated@example.com'")).toEqual([]);
  });

  test('keeps no response that shows the contact, a merged one, or a preview made for it', async () => {
    const company = await server.company();
    let keys = 0;
    const post = async (path: string, body: object): Promise<TestBody> =>
      (await company.marketing('POST', path, body, { 'idempotency-key': `kept-${keys++}` })).body;
    const [first, second] = ['kept-first@example.com', 'Kept-Second@example.com'];
    const { list_id } = await post('/lists', { name: 'kept' });
    await post(`/lists/${list_id}/contacts`, { emails: [second] });
    const { contact_id: id } = await post('/contacts', { email: first, external_id: 'kept' });
    await post('/contacts', { email: second, first_name: 'kept-name' });
    await post('/contacts', { external_id: 'kept', email: second });
    const { campaign_id } = await post('/campaigns', {
      name: 'c',
      type: 'email',
      subject: 'Hi',
      content: '<p>{{ contact.first_name }}</p>',
    });
    await post(`/campaigns/preview/${campaign_id}`, { contact_id: id });
    const other = await post('/contacts', { email: `x${second}` });
    const theirs = await company.commerce(
      'POST',
      '/customers',
      { email: second, first_name: 'A', last_name: 'B' },
      { 'idempotency-key': 'of the shop' },
    );
    await company.marketing('DELETE', `/contacts/${id}`);
    const responses = await server.rows<{ key: string; body: string }>(
      'select key, body from idempotency_keys where company_id = $1 order by key',
      [company.company_id],
    );
    const showing = responses.filter(({ body }) => /"kept-(first|second)|kept-name/i.test(body)).map(({ key }) => key);
    expect(showing).toEqual(['of the shop']);
    expect(responses.map(({ body }) => JSON.parse(body))).toEqual(expect.arrayContaining([other, theirs.body]));
  });

  test('deletes links made for the contact, and none that name a longer address', async () => {
    const company = await server.company();
    const contact = { email: 'a.nn+x@example.com', phone: '+12133734253', external_id: 'cust-77(*' };
    const { contact_id: id } = (await company.marketing('POST', '/contacts', contact)).body;
    const theirs = [
      ...[
        '?e=a.nn+x@example.com',
        '?e=A.nn%2Bx%40example.com&u=1',
        '/a.nn+x@example.com.',
        '?to=%20a.nn+x@example.com',
      ],
      ...[
        '/a.nn+x@example.com.html',
        '/user_a.nn+x@example.com',
        '?ref=news-a.nn+x@example.com',
        '?to=+a.nn+x%40example.com',
      ],
      ...[
        '?next=https%3A%2F%2Fx%3Fe%3Da.nn%252Bx%2540example.com%26b',
        '/a.nn+x@example.com-2026',
        '?e=a.nn+x@example.com_1',
      ],
      ...[
        '?p=+12133734253',
        '?p=%2B12133734253',
        '?p=12133734253',
        '/cust-77(*/x',
        '?id=cust-77(*',
        '?id=cust-77%28*#a',
      ],
    ];
    const others = [
      ...['?e=joa.nn+x@example.com', '?e=jo.a.nn+x@example.com', '?e=a.nn+x@example.com.au', '?e=aXnn+x@example.com'],
      ...['?e=a.nn+x@example.com2', '?e=a.nn+x@example.com-b.de', '?e=a.nn+x@example.com.au/b'],
      ...['?p=+121337342531', '?p=121337342531', '/products/12133734253', '/cust-77(*2', '/cust-77', '/x-cust-77(*'],
    ];
    await server.rows(
      `insert into tracked_links (company_id, url, hash)
       select $1, url, sha256(url::bytea) from unnest($2::text[]) path, lateral (select 'https://shop.example/' || path) as u (url)`,
      [company.company_id, [...theirs, ...others]],
    );
    await company.marketing('DELETE', `/contacts/${id}`);
    const left = await server.rows<{ path: string }>(
      `select replace(url, 'https://shop.example/', '') as path from tracked_links where company_id = $1 order by id`,
      [company.company_id],
    );
    expect(left.map(({ path }) => path)).toEqual(others);
  });

  test.each([
    [
      { external_id: '100234', phone: 'mobile' },
      ['?customer=100234', '?a=1&shop_customer_id=100234#b', '/customers/100234/orders', '?externalId=100234'],
      [
        ...[
          'products/100234',
          '?product=100234',
          '?p=100234',
          '?customer=1002345',
          'customers/100234-5',
          '?customer=x100234',
        ],
        ...['mobile', '?device=mobile', 'https'],
      ],
    ],
    [{ external_id: '7', phone: 'https' }, ['?customer=7'], ['?customer=77', 'customers', '7', '?page=7']],
    [
      { external_id: 'summer', phone: '555 1234' },
      ['?tel=555+1234', '?tel=555%201234'],
      ['summer', '?campaign=summer'],
    ],
    [{ phone: '99 1234' }, [], ['?tel=99+1234']],
  ])('deletes no link of others for the id and phone of %j', async (contact, theirs, others) => {
    const company = await server.company();
    const { contact_id: id } = (await company.marketing('POST', '/contacts', contact)).body;
    await server.rows(
      `insert into tracked_links (company_id, url, hash)
       select $1, url, sha256(url::bytea) from unnest($2::text[]) path, lateral (select 'https://shop.example/' || path) as u (url)`,
      [company.company_id, [...theirs, ...others]],
    );
    await company.marketing('DELETE', `/contacts/${id}`);
    const left = await server.rows<{ path: string }>(
      `select replace(url, 'https://shop.example/', '') as path from tracked_links where company_id = $1 order by id`,
      [company.company_id],
    );
    expect(left.map(({ path }) => path)).toEqual(others);
  });

  test('erases former addresses, except those that another contact has now', async () => {
    const company = await server.company();
    const { contact_id: id } = (await company.marketing('POST', '/contacts', { email: 'now@example.com' })).body;
    const recipients = [
      ['email', 'now@example.com'],
      ['email', 'once@example.com'],
      ['email', 'given-away@example.com'],
      ['sms', '+12133734253'],
    ];
    await server.rows(
      `insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, recipient, status, due_at, origin, created_at)
       select $1, 't:' || recipient, channel, false, 1, $2, recipient, 'sent', now(), 'system', now()
       from unnest($3::text[], $4::text[]) as t (channel, recipient)`,
      [company.company_id, id, recipients.map(([channel]) => channel), recipients.map(([, recipient]) => recipient)],
    );
    // Queued while the address was changed.
    await server.rows(
      `with message as (
         insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, created_at)
         values ($1, 't:going', 'email', false, 1, $2, now(), 'system', now()) returning id
       )
       insert into message_claims (company_id, message_id, step, lease_until, recipient)
       select $1, id, 'handing_over', now(), 'going@example.com' from message`,
      [company.company_id, id],
    );
    const heir = { email: 'given-away@example.com' };
    await company.marketing('POST', '/contacts', heir, { 'idempotency-key': 'heir' });
    const friend = { email: 'friend@example.com', properties: { friend: 'once@example.com' } };
    await company.marketing('POST', '/contacts', friend, { 'idempotency-key': 'friend' });
    await server.rows(
      `insert into tracked_links (company_id, url, hash)
       select $1, 'https://shop.example/?to=' || recipient, sha256(recipient::bytea) from unnest($2::text[]) recipient`,
      [company.company_id, [...recipients.map(([, recipient]) => recipient), 'going@example.com']],
    );
    await company.marketing('DELETE', `/contacts/${id}`);
    expect(await server.rows('select url from tracked_links where company_id = $1', [company.company_id])).toEqual([
      { url: 'https://shop.example/?to=given-away@example.com' },
    ]);
    const responses = await server.rows(
      `select key, body = '{}' as empty from idempotency_keys where company_id = $1 order by key`,
      [company.company_id],
    );
    expect(responses).toEqual([
      { key: 'friend', empty: true },
      { key: 'heir', empty: false },
    ]);
  });

  test('keeps responses without personal data, whatever words the contact contains', async () => {
    const company = await server.company();
    let keys = 0;
    const post = async (path: string, body: object): Promise<TestBody> =>
      (await company.marketing('POST', path, body, { 'idempotency-key': `words-${keys++}` })).body;
    const contact = { email: 'words@example.com', external_id: 'status', phone: 'name' };
    const { contact_id: id } = await post('/contacts', contact);
    const kept = [
      await post('/lists', { name: 'name' }),
      await post('/contacts', { email: 'other@example.com', properties: { 'words@example.com': 1, name: 'status' } }),
      await post('/contacts/batch', { contacts: [contact] }),
    ];
    await post('/contacts', { email: 'friend@example.com', properties: { friend: 'words@example.com' } });
    const message = { message_id: 1, reply: '"contact_id":0', contact_id: id, recipient: null, reason: 'secret' };
    await server.rows(
      `insert into idempotency_keys (company_id, sent_by, key, request_hash, status, body, created_at)
       select $1, 1, body, '', 200, body, $3 from unnest($2::text[]) body`,
      [
        company.company_id,
        [message, { run_id: 2, contact_id: id, log: ['secret'] }].map((response) => JSON.stringify(response)),
        server.clock.now(),
      ],
    );
    const others = JSON.stringify({ ...message, contact_id: Number(id) * 10 });
    await server.rows(
      `insert into idempotency_keys (company_id, sent_by, key, request_hash, status, body, created_at) values ($1, 1, 'others', '', 200, $2, $3)`,
      [company.company_id, others, server.clock.now()],
    );
    await company.marketing('DELETE', `/contacts/${id}`);
    const left = await server.rows<{ body: string }>(
      `select body from idempotency_keys where company_id = $1 and body <> '{}' order by key like 'words-%' desc, key`,
      [company.company_id],
    );
    expect(left.map(({ body }) => JSON.parse(body))).toEqual([...kept, JSON.parse(others)]);
  });

  test('exports and erases notifications about merged contacts', async () => {
    const company = await server.company();
    const make = async (body: object) => (await company.marketing('POST', '/contacts', body)).body.contact_id;
    const id = await make({ external_id: 'told' });
    const merged = await make({ email: 'told@example.com' });
    const stranger = await make({ email: 'stranger@example.com' });
    await server.rows(
      `insert into flow_notifications (company_id, flow_id, run_id, step_id, contact_id, message, created_at)
       select $1, 1, 1, 's', contact_id, 'of ' || place, now() from unnest($2::bigint[]) with ordinality as t (contact_id, place)`,
      [company.company_id, [id, merged, stranger]],
    );
    expect(await make({ external_id: 'told', email: 'told@example.com' })).toBe(id);
    const { body } = await company.marketing('GET', `/contacts/${id}/export`);
    expect(body.notifications).toMatchObject([{ message: 'of 2' }, { message: 'of 1' }]);
    await company.marketing('DELETE', `/contacts/${id}`);
    expect(
      await server.rows('select message from flow_notifications where company_id = $1', [company.company_id]),
    ).toEqual([{ message: 'of 3' }]);
  });
});

describe('GET /contacts/{id}/timeline', () => {
  test('lists events, messages and changes in order, page by page', async () => {
    const list = await shop.marketing('POST', '/lists', { name: 'timeline' });
    const { contact_id: id } = (await shop.marketing('POST', '/contacts', { email: 'time@example.com' })).body;
    const expected: string[] = [];
    for (let i = 0; i < 7; i++) {
      server.clock.advance(61_000);
      if (i % 3 === 0) {
        await shop.marketing('POST', '/events', {
          event_type: 'product_viewed',
          event_data: { email: 'time@example.com', product_id: `${i}`, product_name: 'x' },
        });
        expected.unshift('event');
      } else if (i % 3 === 1) {
        await shop.marketing('POST', `/contacts/${i === 1 ? 'unsubscribe' : 'resubscribe'}/${id}`);
        expected.unshift('status_changed');
      } else {
        const action = i === 2 ? '' : '/remove';
        await shop.marketing('POST', `/lists/${list.body.list_id}/contacts${action}`, { contact_ids: [id] });
        expected.unshift('list_changed');
      }
    }
    const whole = await shop.marketing('GET', `/contacts/${id}/timeline`);
    const types = (body: TestBody) => body.timeline!.map((entry: TestBody) => String(entry.type));
    expect(types(whole.body)).toEqual(expected);
    expect(whole.body.next_cursor).toBeNull();
    expect(whole.body.timeline[0]).toMatchObject({ type: 'event', data: { event_type: 'product_viewed' } });
    const pages: TestBody[] = [];
    let cursor = '';
    do {
      const page = (await shop.marketing('GET', `/contacts/${id}/timeline?per_page=2${cursor}`)).body;
      pages.push(...page.timeline!);
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(pages).toEqual(whole.body.timeline);
  });

  test('rejects an invalid cursor', async () => {
    const { contact_id: id } = (await shop.marketing('POST', '/contacts', { email: 'cursor@example.com' })).body;
    for (const cursor of ['x', '1-2', '1-2-3-4', '1-2-%00', 'zzzzzzzzzzz-1-1']) {
      expect((await shop.marketing('GET', `/contacts/${id}/timeline?cursor=${cursor}`)).status).toBe(400);
    }
  });
});

describe('GET /contacts/{id}/export', () => {
  test('returns everything that is stored about the contact', async () => {
    const list = await shop.marketing('POST', '/lists', { name: 'Newsletter' });
    const { contact_id: id } = (await shop.marketing('POST', '/contacts', { email: 'export@example.com' })).body;
    await shop.marketing('POST', `/lists/${list.body.list_id}/contacts`, {
      contact_ids: [id],
      consent: { source: 'checkout', ip: '192.0.2.7', at: '2026-03-01 10:00:00' },
    });
    await shop.marketing('POST', '/events', {
      event_type: 'product_viewed',
      event_data: { email: 'export@example.com', product_id: '1', product_name: 'x' },
    });
    const { status, body } = await shop.marketing('GET', `/contacts/${id}/export`);
    expect(status).toBe(200);
    expect(body.contact.email).toBe('export@example.com');
    expect(body.memberships).toEqual([
      {
        list_id: list.body.list_id,
        name: 'Newsletter',
        status: 'active',
        consent_at: '2026-03-01 10:00:00',
        consent_source: 'checkout',
        consent_ip: '192.0.2.7',
        created_at: expect.any(String),
      },
    ]);
    expect(body.events).toMatchObject([{ event_type: 'product_viewed', event_data: { product_id: '1' } }]);
    expect(body.messages).toEqual([]);
    expect(body.activity).toMatchObject([{ type: 'list_changed', data: { status: 'active' } }]);
    expect(body).toMatchObject({ flow_runs: [], notifications: [], mails: [] });
  });

  test('includes everything that flows and messages store about the contact', async () => {
    const company = await server.company();
    const { contact_id: id } = (await company.marketing('POST', '/contacts', { email: 'kept@example.com' })).body;
    await hangEverythingOn(id, company);
    const { body } = await company.marketing('GET', `/contacts/${id}/export`);
    expect(body.flow_runs).toMatchObject([
      {
        flow_id: 1,
        status: 'active',
        event_data: { email: SECRET },
        vars: { reply: SECRET },
        log: [{ at: expect.any(String), entries: [SECRET] }],
      },
    ]);
    expect(body.notifications).toMatchObject([{ flow_id: 1, message: SECRET }]);
    expect(body.mails).toMatchObject([{ channel: 'email', recipient: SECRET, subject: SECRET, html: SECRET }]);
    expect(body.messages).toMatchObject([{ recipient: SECRET }]);
  });
});
