import { beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

let last = 0;
/** An e-mail address that no other test uses. */
const anEmail = (): string => `person${++last}@example.com`;
const upsert = (body: object, headers?: Record<string, string>) => shop.marketing('POST', '/contacts', body, headers);
const read = async (id: unknown) => (await shop.marketing('GET', `/contacts/${id}`)).body;

describe('POST /contacts', () => {
  test('creates a contact and responds 201 with the flat record', async () => {
    const { status, body } = await upsert({
      email: '  Ann.Lee@Example.COM ',
      first_name: ' Ann ',
      last_name: 'Lee',
      phone: '(213) 373-4253',
      external_id: 'cust-1',
      source: 'till',
      tags: ['vip', 'vip', 'news'],
      properties: { size: 'M', nested: { a: 1 }, gone: null },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      contact_id: expect.any(Number),
      email: 'ann.lee@example.com',
      first_name: 'Ann',
      last_name: 'Lee',
      phone: '+12133734253',
      external_id: 'cust-1',
      consent: {
        email: { state: 'subscribed', since: '2026-03-15 12:00:00', source: 'api' },
        sms: { state: 'never', since: '2026-03-15 12:00:00', source: 'api' },
      },
      source: 'till',
      tags: ['vip', 'news'],
      properties: { size: 'M', nested: { a: 1 } },
      status: 'subscribed',
      preferences: { frequency: 'all', paused_until: null },
      lists: [],
      created_at: '2026-03-15 12:00:00',
      updated_at: '2026-03-15 12:00:00',
      created: true,
    });
    const { created: _, ...record } = body;
    expect(await read(body.contact_id)).toEqual({ ...record, time_zone: null, last_activity_at: null });
  });

  test('responds 200 for an existing contact, found by external_id, e-mail in any case, or phone in any form', async () => {
    const email = anEmail();
    const first = await upsert({ email, external_id: 'found', phone: '+49 30 123456' });
    for (const key of [{ external_id: 'found' }, { email: email.toUpperCase() }, { phone: '+4930123456' }]) {
      const again = await upsert(key);
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first.body, created: false });
    }
  });

  test('keeps a phone number that does not parse as it was given', async () => {
    const { body } = await upsert({ phone: ' ext. 17 ' });
    expect(body.phone).toBe('ext. 17');
    expect((await upsert({ phone: 'ext. 17' })).body.contact_id).toBe(body.contact_id);
  });

  test.each([
    ['no key', { first_name: 'A' }, 'email'],
    ['no key but null', { email: null, external_id: null }, 'email'],
    ['a malformed e-mail', { email: 'nobody' }, 'email'],
    ['an empty external_id', { email: 'x@example.com', external_id: ' ' }, 'external_id'],
    ['an e-mail that is no text', { email: 5 }, 'email'],
    ['tags that are no list', { email: 'x@example.com', tags: 'vip' }, 'tags'],
    ['an empty tag', { email: 'x@example.com', tags: [''] }, 'tags.0'],
    ['properties that are no object', { email: 'x@example.com', properties: [1] }, 'properties'],
    ['an unknown status', { email: 'x@example.com', status: 'new' }, 'status'],
    ['a list that does not exist', { email: 'x@example.com', list_ids: [999_999] }, 'list_ids'],
    ['a name that is too long', { email: 'x@example.com', first_name: 'a'.repeat(256) }, 'first_name'],
  ])('rejects %s with 400 and the field', async (_, body, field) => {
    const response = await upsert(body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ error: 'bad_request', code: 400, details: [{ field }] });
    expect(await server.rows("select 1 from contacts where email = 'x@example.com'")).toEqual([]);
  });

  test('keeps absent fields and clears null ones', async () => {
    const email = anEmail();
    await upsert({
      email,
      first_name: 'A',
      last_name: 'B',
      phone: '+12133734254',
      source: 's',
      tags: ['t'],
      properties: { p: 1 },
    });
    const kept = await upsert({ email });
    expect(kept.body).toMatchObject({
      first_name: 'A',
      last_name: 'B',
      phone: '+12133734254',
      source: 's',
      tags: ['t'],
      properties: { p: 1 },
    });
    const cleared = await upsert({
      email,
      first_name: null,
      last_name: null,
      phone: null,
      source: null,
      tags: null,
      properties: null,
    });
    expect(cleared.body).toMatchObject({
      first_name: null,
      last_name: null,
      phone: null,
      source: null,
      tags: [],
      properties: {},
    });
  });

  test('does not clear the last key', async () => {
    const { body } = await upsert({ email: anEmail() });
    const response = await shop.marketing('PATCH', `/contacts/${body.contact_id}`, { email: null });
    expect(response.status).toBe(400);
    expect((await read(body.contact_id)).email).toBe(body.email);
  });

  test('merges properties one level deep: inner objects are replaced, null removes, odd names are names', async () => {
    const email = anEmail();
    await upsert({ email, properties: { a: { x: 1, y: 2 }, b: 2, c: [1] } });
    const raw = JSON.stringify({ email, properties: { a: { x: 3 }, b: null, d: false } }).replace('"d"', '"__proto__"');
    const response = await server.request('POST', '/marketing/v1/contacts', {
      raw,
      headers: {
        authorization: `Bearer ${shop.key}`,
        'x-company-id': String(shop.company_id),
        'content-type': 'application/json',
      },
    });
    expect(JSON.stringify(response.body.properties)).toBe('{"a":{"x":3},"c":[1],"__proto__":false}');
  });

  test('adds tags, removes remove_tags, and replaces with tags_mode', async () => {
    const email = anEmail();
    await upsert({ email, tags: ['a', 'b'] });
    expect((await upsert({ email, tags: ['b', 'c'] })).body.tags).toEqual(['a', 'b', 'c']);
    expect((await upsert({ email, tags: ['d'], remove_tags: ['a', 'd', 'none'] })).body.tags).toEqual(['b', 'c']);
    expect((await upsert({ email, tags: ['z'], tags_mode: 'replace' })).body.tags).toEqual(['z']);
    expect((await upsert({ email, tags_mode: 'replace' })).body.tags).toEqual(['z']);
  });

  test('limits a contact to 500 tags, 500 properties and 64 KiB', async () => {
    const email = anEmail();
    const tags = Array.from({ length: 500 }, (_, i) => `t${i}`);
    expect((await upsert({ email, tags })).status).toBe(201);
    expect((await upsert({ email, tags: ['one more'] })).body.details[0].field).toBe('tags');
    const big = { a: 'x'.repeat(40_000) };
    expect((await upsert({ email, properties: big })).status).toBe(200);
    expect((await upsert({ email, properties: { b: big.a } })).body.details[0].field).toBe('properties');
    expect((await upsert({ email, properties: { a: null, b: big.a } })).status).toBe(200);
  });

  test('writes nothing and keeps updated_at if nothing changes', async () => {
    const email = anEmail();
    await upsert({ email, tags: ['a'], properties: { b: { c: [1, 2] } } });
    const [before] = await server.rows('select xmin, updated_at from contacts where email = $1', [email]);
    server.clock.advance(60_000);
    await upsert({ email, tags: ['a'], properties: { b: { c: [1, 2] } } });
    expect((await server.rows('select xmin, updated_at from contacts where email = $1', [email]))[0]).toEqual(before);
    const changed = await upsert({ email, tags: ['b'] });
    expect(changed.body.updated_at).not.toBe(changed.body.created_at);
  });

  test('names unknown fields in a header and stores none of them', async () => {
    const response = await upsert({ email: anEmail(), id: 7, company_id: 1, created_at: 'x' });
    expect(response.headers.get('x-ignored-fields')).toBe('id, company_id, created_at');
    expect(response.body.created_at).not.toBe('x');
  });

  test('repeats its response for an Idempotency-Key, and changes the contact once', async () => {
    const email = anEmail();
    const headers = { 'idempotency-key': `once-${email}` };
    const first = await upsert({ email, tags: ['a'] }, headers);
    await upsert({ email, tags: ['b'] });
    const again = await upsert({ email, tags: ['a'] }, headers);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await upsert({ email, tags: ['other'] }, headers)).status).toBe(400);
    expect((await read(first.body.contact_id)).tags).toEqual(['a', 'b']);
  });

  test('repeats an error for its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const body = { email: 'late@example.com', list_ids: [999_998] };
    const first = await upsert(body, headers);
    expect(first.status).toBe(400);
    const again = await upsert(body, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  test('gives simultaneous requests with one Idempotency-Key one contact and one response', async () => {
    const body = { email: anEmail() };
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => upsert(body, { 'idempotency-key': `twins-${body.email}` })),
    );
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([201]));
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(responses.filter((response) => response.headers.get('idempotent-replayed') === 'true')).toHaveLength(7);
  });
});

describe('keys that belong to several contacts', () => {
  test('the contact with the external_id wins; one without an external_id is merged into it', async () => {
    const [list] = await Promise.all([shop.marketing('POST', '/lists', { name: 'merge' })]);
    const email = anEmail();
    const winner = await upsert({ external_id: 'm-1', first_name: 'Winner', tags: ['w'], properties: { a: 1 } });
    const loser = await upsert({
      email,
      first_name: 'Loser',
      last_name: 'Last',
      tags: ['l'],
      properties: { a: 2, b: 2 },
      list_ids: [list.body.list_id],
    });
    const { status, body } = await upsert({ external_id: 'm-1', email });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      contact_id: winner.body.contact_id,
      email,
      first_name: 'Winner',
      last_name: 'Last',
      tags: ['w', 'l'],
      properties: { a: 1, b: 2 },
      lists: [{ list_id: list.body.list_id, status: 'active' }],
      created: false,
    });
    expect((await shop.marketing('GET', `/contacts/${loser.body.contact_id}`)).status).toBe(404);
    expect((await read(winner.body.contact_id)).lists).toEqual(body.lists);
  });

  test('one with another external_id is rejected: contact_conflict, and nothing changes', async () => {
    const email = anEmail();
    const one = await upsert({ external_id: 'k-1' });
    const other = await upsert({ external_id: 'k-2', email });
    const { status, body } = await upsert({ external_id: 'k-1', email, first_name: 'X' });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 'bad_request',
      message: expect.stringContaining('contact_conflict'),
      details: [{ field: 'email' }],
    });
    expect(await read(one.body.contact_id)).toMatchObject({ email: null, first_name: null });
    expect(await read(other.body.contact_id)).toMatchObject({ email });
  });

  test('without a contact with the external_id, the one with the e-mail wins and gets the external_id', async () => {
    const email = anEmail();
    const byEmail = await upsert({ email });
    const byPhone = await upsert({ phone: '+12133734255', last_name: 'P' });
    const { body } = await upsert({ external_id: 'new-1', email, phone: '+12133734255' });
    expect(body).toMatchObject({
      contact_id: byEmail.body.contact_id,
      external_id: 'new-1',
      phone: '+12133734255',
      last_name: 'P',
    });
    expect((await shop.marketing('GET', `/contacts/${byPhone.body.contact_id}`)).status).toBe(404);
  });

  test('three contacts are merged into one', async () => {
    const email = anEmail();
    await upsert({ email, first_name: 'E' });
    await upsert({ phone: '+12133734256', last_name: 'P' });
    const { body } = await upsert({ external_id: 'three', source: 'x' });
    const merged = await upsert({ external_id: 'three', email, phone: '+12133734256' });
    expect(merged.body).toMatchObject({ contact_id: body.contact_id, first_name: 'E', last_name: 'P', email });
    expect(
      await server.rows('select id from contacts where email = $1 or phone = $2', [email, '+12133734256']),
    ).toHaveLength(1);
  });

  test('an unsubscription stays after a merge; a bounce stays with its address', async () => {
    const [left, bounced, fresh] = [anEmail(), anEmail(), anEmail()];
    await upsert({ email: left, status: 'unsubscribed' });
    expect((await upsert({ external_id: 's-1' })).body.status).toBe('subscribed');
    expect((await upsert({ external_id: 's-1', email: left })).body.status).toBe('unsubscribed');
    await upsert({ email: bounced, status: 'bounced' });
    await upsert({ external_id: 's-2', email: fresh });
    expect((await upsert({ external_id: 's-2', email: bounced })).body.status).toBe('bounced');
  });

  test('a list left by one contact stays left after the merge, even if the same upsert adds it', async () => {
    const list = Number((await shop.marketing('POST', '/lists', { name: 'left' })).body.list_id);
    const email = anEmail();
    const loser = await upsert({ email, list_ids: [list] });
    await shop.marketing('POST', `/contacts/unsubscribe/${loser.body.contact_id}`, { list_ids: [list] });
    const winner = await upsert({ external_id: 'left-list' });
    const { body } = await upsert({ external_id: 'left-list', email, list_ids: [list] });
    expect(body.lists).toEqual([{ list_id: list, status: 'unsubscribed' }]);
    expect((await read(winner.body.contact_id)).lists).toEqual(body.lists);
  });

  test('events and messages of the merged contact move to the remaining one', async () => {
    const email = anEmail();
    const loser = await upsert({ email });
    const event = await shop.marketing('POST', '/events', {
      event_type: 'product_viewed',
      event_data: { email, product_id: '1', product_name: 'x' },
    });
    expect(event.body.contact_id).toBe(loser.body.contact_id);
    const winner = await upsert({ external_id: 'history' });
    server.clock.advance(1_000);
    await upsert({ external_id: 'history', email });
    const timeline = await shop.marketing('GET', `/contacts/${winner.body.contact_id}/timeline`);
    expect(
      timeline.body.timeline!.map((entry: TestBody) => [entry.type, entry.data.event_id ?? entry.data.contact_id]),
    ).toEqual([
      ['merged', loser.body.contact_id],
      ['event', event.body.event_id],
    ]);
  });

  test('keys can move between contacts within one batch', async () => {
    const [a, b] = [anEmail(), anEmail()];
    await upsert({ external_id: 'p-1', email: a });
    await upsert({ external_id: 'p-2', email: b });
    const { body } = await shop.marketing('POST', '/contacts/batch', {
      contacts: [
        { external_id: 'p-1', email: null },
        { external_id: 'p-2', email: a },
        { external_id: 'p-1', email: b },
        { external_id: 'p-3', email: anEmail() },
      ],
    });
    expect(body).toMatchObject({ created: 1, updated: 3, rejected: 0 });
    expect((await upsert({ external_id: 'p-1' })).body.email).toBe(b);
    expect((await upsert({ external_id: 'p-2' })).body.email).toBe(a);
  });
});

describe('status', () => {
  const moved = async (id: unknown) =>
    server.rows<{ data: object }>(
      "select data from contact_activity where contact_id = $1 and type = 'status_changed' order by id",
      [id],
    );

  test('an upsert sets unsubscribed and bounced, and never subscribes again', async () => {
    for (const status of ['unsubscribed', 'bounced']) {
      const email = anEmail();
      expect((await upsert({ email, status })).body.status).toBe(status);
      expect((await upsert({ email, status: 'subscribed', first_name: 'again' })).body.status).toBe(status);
    }
  });

  test('a new e-mail address ends a bounce, and nothing else', async () => {
    await upsert({ external_id: 'b-1', email: anEmail(), status: 'bounced' });
    expect((await upsert({ external_id: 'b-1', first_name: 'x' })).body.status).toBe('bounced');
    expect((await upsert({ external_id: 'b-1', email: anEmail() })).body.status).toBe('subscribed');
    await upsert({ external_id: 'b-2', email: anEmail(), status: 'unsubscribed' });
    expect((await upsert({ external_id: 'b-2', email: anEmail() })).body.status).toBe('unsubscribed');
  });

  test('an unsubscribed contact does not become bounced, so that a new address cannot subscribe it', async () => {
    await upsert({ external_id: 'b-3', email: anEmail(), status: 'unsubscribed' });
    expect((await upsert({ external_id: 'b-3', status: 'bounced' })).body.status).toBe('unsubscribed');
    expect((await upsert({ external_id: 'b-3', email: anEmail() })).body.status).toBe('unsubscribed');
  });

  test('unsubscribe and resubscribe change it, can be repeated, and are logged', async () => {
    const { contact_id: id } = (await upsert({ email: anEmail() })).body;
    for (const [action, status] of [
      ['unsubscribe', 'unsubscribed'],
      ['unsubscribe', 'unsubscribed'],
      ['resubscribe', 'subscribed'],
      ['resubscribe', 'subscribed'],
    ]) {
      const response = await shop.marketing('POST', `/contacts/${action}/${id}`);
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({ contact_id: id, status });
    }
    expect((await moved(id)).map((row) => row.data)).toEqual([
      { from: 'subscribed', to: 'unsubscribed', cause: 'unsubscribe' },
      { from: 'unsubscribed', to: 'subscribed', cause: 'resubscribe' },
    ]);
  });

  test('unsubscribe and resubscribe respond 404 for an unknown contact', async () => {
    for (const action of ['unsubscribe', 'resubscribe']) {
      expect((await shop.marketing('POST', `/contacts/${action}/999999`)).status).toBe(404);
    }
  });
});

describe('GET, PATCH /contacts/{id}', () => {
  test('PATCH changes the given fields, and rejects keys of another contact', async () => {
    const taken = anEmail();
    await upsert({ email: taken });
    const { contact_id: id, email } = (await upsert({ email: anEmail(), tags: ['a'], properties: { x: 1 } })).body;
    const response = await shop.marketing('PATCH', `/contacts/${id}`, {
      first_name: 'P',
      tags: ['b'],
      properties: { y: 2 },
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      contact_id: id,
      email,
      first_name: 'P',
      tags: ['a', 'b'],
      properties: { x: 1, y: 2 },
    });
    expect(response.body).not.toHaveProperty('created');
    const refused = await shop.marketing('PATCH', `/contacts/${id}`, { email: taken });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('contact_conflict');
  });

  test('PATCH unsubscribes, and does not subscribe', async () => {
    const { contact_id: id } = (await upsert({ email: anEmail() })).body;
    expect((await shop.marketing('PATCH', `/contacts/${id}`, { status: 'subscribed' })).status).toBe(200);
    expect((await shop.marketing('PATCH', `/contacts/${id}`, { status: 'unsubscribed' })).body.status).toBe(
      'unsubscribed',
    );
    const refused = await shop.marketing('PATCH', `/contacts/${id}`, { status: 'subscribed', first_name: 'no' });
    expect(refused.status).toBe(400);
    expect(refused.body.details[0].field).toBe('status');
    expect(await read(id)).toMatchObject({ status: 'unsubscribed', first_name: null });
  });

  test('an unknown contact or one of another company is 404', async () => {
    const other = await server.company();
    const { contact_id: id } = (await other.marketing('POST', '/contacts', { email: 'theirs@example.com' })).body;
    for (const address of [`/contacts/${id}`, '/contacts/999999', '/contacts/x']) {
      expect((await shop.marketing('GET', address)).status).toBe(404);
      expect((await shop.marketing('PATCH', address, { first_name: 'x' })).status).toBe(404);
      expect((await shop.marketing('DELETE', address)).status).toBe(404);
      expect((await shop.marketing('GET', `${address}/timeline`)).status).toBe(404);
      expect((await shop.marketing('GET', `${address}/export`)).status).toBe(404);
    }
  });

  test('companies do not share keys', async () => {
    const other = await server.company();
    const email = anEmail();
    const [mine, theirs] = [await upsert({ email }), await other.marketing('POST', '/contacts', { email })];
    expect(theirs.status).toBe(201);
    expect(theirs.body.contact_id).not.toBe(mine.body.contact_id);
  });
});

describe('POST /contacts/batch', () => {
  test('settles each on its own, in order, and returns each result', async () => {
    const email = anEmail();
    const { status, body } = await shop.marketing('POST', '/contacts/batch', {
      contacts: [
        { email, first_name: 'First' },
        { email: 'broken' },
        { email, last_name: 'Second', extra: 1 },
        { first_name: 'nobody' },
        { email: anEmail(), list_ids: [999_999] },
        { email, tags: 5 },
        null,
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ created: 1, updated: 1, rejected: 5 });
    const id = body.results[0].contact_id;
    expect(body.results).toEqual([
      { index: 0, contact_id: id, created: true },
      { index: 1, error: expect.any(String), details: [{ field: 'email', message: expect.any(String) }] },
      { index: 2, contact_id: id, created: false },
      { index: 3, error: expect.any(String), details: [{ field: 'email', message: expect.any(String) }] },
      {
        index: 4,
        error: expect.stringContaining('999999'),
        details: [{ field: 'list_ids', message: expect.any(String) }],
      },
      { index: 5, error: expect.any(String), details: [{ field: 'tags', message: expect.any(String) }] },
      { index: 6, error: 'body must be object', details: [expect.anything()] },
    ]);
    expect(await read(id)).toMatchObject({ first_name: 'First', last_name: 'Second' });
  });

  test('accepts 1 to 500 contacts', async () => {
    const contacts = (n: number, tag: string) =>
      Array.from({ length: n }, (_, i) => ({ email: `${tag}${i}@example.com` }));
    expect((await shop.marketing('POST', '/contacts/batch', { contacts: contacts(500, 'many') })).body.created).toBe(
      500,
    );
    expect((await shop.marketing('POST', '/contacts/batch', { contacts: contacts(500, 'many') })).body.updated).toBe(
      500,
    );
    expect((await shop.marketing('POST', '/contacts/batch', { contacts: contacts(501, 'more') })).status).toBe(400);
    expect((await shop.marketing('POST', '/contacts/batch', { contacts: [] })).status).toBe(400);
  });

  test('is executed once for its Idempotency-Key', async () => {
    const body = { contacts: [{ email: anEmail() }] };
    const first = await shop.marketing('POST', '/contacts/batch', body, { 'idempotency-key': 'batch-1' });
    const again = await shop.marketing('POST', '/contacts/batch', body, { 'idempotency-key': 'batch-1' });
    expect(again.body).toEqual(first.body);
    expect(again.body.created).toBe(1);
  });
});
