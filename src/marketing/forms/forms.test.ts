import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, type TestServer, testServer } from '../../testing/harness.ts';
import { allSlices } from '../../work/slices.ts';
import { purgeFormRates, purgeSubmissions } from './service.ts';

const server: TestServer = testServer({ impatient: true, config: { trustedProxies: ['127.0.0.1'] } });
let shop: TestCompany;
let list: number;
let last = 0;
const anEmail = (): string => `form${++last}@example.com`;
const aPhone = (): string => `+1213373${5000 + ++last}`;
const HOUR = 3_600_000;

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill' });
  list = (await shop.marketing('POST', '/lists', { name: 'News' })).body.list_id;
});

// Each test uses a different client address, unless it sets one.
let client = '';
beforeEach(() => {
  client = `198.51.100.${++last % 250}`;
  server.clock.advance(HOUR);
});

interface MadeForm {
  form_id: number;
  public_id: string;
  submissions: number;
  confirmed: number;
  page_url: string;
  embed: string;
}

async function form(input: object = {}): Promise<MadeForm> {
  const made = await shop.marketing('POST', '/forms', { name: 'Footer', list_ids: [list], ...input });
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  return made.body;
}

function submit({ public_id }: { public_id: string }, values: object, headers: Record<string, string> = {}) {
  return server.request('POST', `/f/${public_id}`, {
    body: values,
    headers: { 'x-forwarded-for': client, ...headers },
  });
}

const press = (path: string) =>
  server.request('POST', path, { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } });

const send = async () => {
  for (const name of ['confirmations', 'sender']) {
    await server.app.workers.find((worker) => worker.name === name)!.runOnce();
  }
};
const mailsTo = async (to: string) => {
  await send();
  const { body } = await shop.marketing('GET', `/mailbox?to=${encodeURIComponent(to)}`);
  return body.messages as { id: number; subject: string }[];
};

/** The path of the confirmation link in the newest message to the address. */
async function confirmPath(to: string): Promise<string> {
  const [newest] = await mailsTo(to);
  const { body } = await shop.marketing('GET', `/mailbox/${newest!.id}`);
  return body.text.match(/http\S+\/u\/form\/[\w-]+/)[0].replace(server.origin, '');
}

const contactOf = async (email: string) =>
  (await shop.marketing('GET', `/contacts?search=${encodeURIComponent(email)}`)).body.contacts[0];
const read = async ({ form_id }: MadeForm) => (await shop.marketing('GET', `/forms/${form_id}`)).body as MadeForm;

describe('forms of a shop', () => {
  test('are created, updated, listed and deleted', async () => {
    const made = await form({ channels: ['email', 'sms'], consent_text: ' Yes, send me news. ' });
    expect(made).toMatchObject({
      double_opt_in: true,
      language: 'en',
      consent_text: 'Yes, send me news.',
      submissions: 0,
    });
    expect(made.page_url).toBe(`${server.origin}/f/${made.public_id}`);
    const path = `/forms/${made.form_id}`;
    const changed = await shop.marketing('PATCH', path, { language: 'de', allowed_origins: ['https://Shop.example/'] });
    expect(changed.body).toMatchObject({ language: 'de', allowed_origins: ['https://shop.example'], list_ids: [list] });
    expect((await shop.marketing('GET', '/forms')).body.forms[0]).toEqual((await shop.marketing('GET', path)).body);
    expect((await shop.marketing('DELETE', path)).body).toEqual({ form_id: made.form_id, deleted: true });
    expect((await shop.marketing('GET', path)).status).toBe(404);
    expect((await server.request('GET', `/f/${made.public_id}`)).status).toBe(404);
  });

  test.each([
    [{ redirect_url: 'https://evil.example/' }, 'redirect_url'],
    [{ allowed_origins: ['https://shop.example'], redirect_url: 'https://shop.example.evil.example/' }, 'redirect_url'],
    [{ allowed_origins: ['https://shop.example'], redirect_url: 'https://shop.example@evil.example/' }, 'redirect_url'],
    [{ allowed_origins: ['https://shop.example'], redirect_url: '//evil.example' }, 'redirect_url'],
    [
      { allowed_origins: ['https://shop.example'], redirect_url: 'javascript:alert(1)//https://shop.example' },
      'redirect_url',
    ],
    [{ allowed_origins: ['https://shop.example/path'] }, 'allowed_origins.0'],
    [{ allowed_origins: ['*.example.com'] }, 'allowed_origins.0'],
    [{ allowed_origins: ['javascript:alert(1)'] }, 'allowed_origins.0'],
    [{ list_ids: [999_999] }, 'list_ids'],
    [{ fields: [{ name: 'first_name' }, { name: 'first_name' }] }, 'fields'],
    [{ fields: [{ name: 'status' }] }, 'fields.0.name'],
  ])('%j is rejected', async (input, field) => {
    const refused = await shop.marketing('POST', '/forms', { name: 'Wrong', ...input });
    expect([refused.status, refused.body.details[0].field]).toEqual([400, field]);
  });

  test('cannot be left with a redirect to an origin that is taken away', async () => {
    const made = await form({ allowed_origins: ['https://a.example'], redirect_url: 'https://a.example/thanks' });
    const refused = await shop.marketing('PATCH', `/forms/${made.form_id}`, { allowed_origins: ['https://b.example'] });
    expect([refused.status, refused.body.details[0].field]).toEqual([400, 'redirect_url']);
  });
});

describe('with double opt-in', () => {
  test('only the confirmation message is sent until the person confirms; then consent, lists and fields are stored', async () => {
    const made = await form({
      fields: [{ name: 'first_name' }, { name: 'properties.size', label: 'Size' }],
      consent_text: 'Yes, send me news.',
    });
    const email = anEmail();
    const sent = await submit(made, { email, first_name: 'Mira', 'properties.size': 'L' });
    expect([sent.status, sent.body.ok]).toEqual([200, true]);
    expect(await contactOf(email)).toMatchObject({
      first_name: null,
      source: 'form',
      status: 'unsubscribed',
      lists: [{ list_id: list, status: 'pending' }],
      consent: { email: { state: 'never', source: 'form' }, sms: { state: 'never' } },
    });
    const mails = await mailsTo(email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Please confirm your subscription']);
    const path = await confirmPath(email);
    expect((await server.request('GET', path)).body).toContain('Fernhill');
    expect((await contactOf(email)).status).toBe('unsubscribed');
    expect((await press(path)).body).toContain('Thank you for signing up.');
    const contact = await contactOf(email);
    expect(contact).toMatchObject({
      first_name: 'Mira',
      properties: { size: 'L' },
      status: 'subscribed',
      lists: [{ list_id: list, status: 'active' }],
      consent: { email: { state: 'subscribed', source: 'double_opt_in' } },
    });
    const { body } = await shop.marketing('GET', `/contacts/${contact.contact_id}/consents`);
    const confirmed = body.consents.filter((one: { channel: string }) => one.channel === 'email').at(-1);
    expect(confirmed).toMatchObject({
      source: 'double_opt_in',
      text: 'Yes, send me news.',
      ip: '127.0.0.1',
    });
    const { body: all } = await shop.marketing('GET', `/contacts/${contact.contact_id}/export`);
    expect(all.form_submissions).toMatchObject([{ ip: client, consent_text: 'Yes, send me news.' }]);
    expect(await read(made)).toMatchObject({ submissions: 1, confirmed: 1 });
    await press(path);
    expect(await read(made)).toMatchObject({ submissions: 1, confirmed: 1 });
  });

  test('an existing contact does not change before the confirmation, and keeps its fields after it', async () => {
    const made = await form({ fields: [{ name: 'first_name' }, { name: 'properties.size' }] });
    const email = anEmail();
    await shop.marketing('POST', '/contacts', { email, first_name: 'Own', properties: { size: 'S' } });
    const before = await contactOf(email);
    await submit(made, { email, first_name: 'Other', 'properties.size': 'XXL' });
    expect({ ...(await contactOf(email)), lists: [] }).toEqual(before);
    await press(await confirmPath(email));
    expect(await contactOf(email)).toMatchObject({ first_name: 'Own', properties: { size: 'S' } });
  });

  test('an unsubscribed contact is subscribed only by confirming', async () => {
    const made = await form();
    const email = anEmail();
    const { body: old } = await shop.marketing('POST', '/contacts', { email, list_ids: [list] });
    await shop.marketing('POST', `/contacts/unsubscribe/${old.contact_id}`, { list_ids: [list], channels: ['email'] });
    await submit(made, { email });
    expect(await contactOf(email)).toMatchObject({ status: 'unsubscribed', lists: [{ status: 'unsubscribed' }] });
    await press(await confirmPath(email));
    expect(await contactOf(email)).toMatchObject({ status: 'subscribed', lists: [{ status: 'active' }] });
    expect((await shop.marketing('GET', `/suppressions?address=${email}`)).body.pagination.total).toBe(0);
  });

  test('an old link does not subscribe a contact that has unsubscribed since or has another address', async () => {
    const made = await form();
    const [left, moved] = [anEmail(), anEmail()];
    await submit(made, { email: left });
    await submit(made, { email: moved });
    const paths = [await confirmPath(left), await confirmPath(moved)];
    server.clock.advance(1_000);
    await shop.marketing('POST', `/contacts/unsubscribe/${(await contactOf(left)).contact_id}`);
    const { contact_id } = await contactOf(moved);
    await shop.marketing('PATCH', `/contacts/${contact_id}`, { email: anEmail() });
    for (const path of paths) expect((await press(path)).body).toContain('nothing to confirm');
    expect((await contactOf(left)).status).toBe('unsubscribed');
    expect((await shop.marketing('GET', `/contacts/${contact_id}`)).body.status).toBe('unsubscribed');
  });

  test('a link sent to an address other than the submitted one does not subscribe', async () => {
    const [made, submitted, other] = [await form(), anEmail(), anEmail()];
    await submit(made, { email: submitted });
    const { contact_id } = await contactOf(submitted);
    // The message is handed over while the contact has another address; then the contact gets the first one back.
    await shop.marketing('PATCH', `/contacts/${contact_id}`, { email: other });
    const path = await confirmPath(other);
    await shop.marketing('PATCH', `/contacts/${contact_id}`, { email: submitted });
    await press(path);
    expect((await contactOf(submitted)).consent.email.state).toBe('never');
    expect(await read(made)).toMatchObject({ confirmed: 0 });
  });

  test('a confirmed link does not subscribe a contact again that unsubscribed afterwards', async () => {
    const made = await form();
    const email = anEmail();
    await submit(made, { email });
    const path = await confirmPath(email);
    await press(path);
    await shop.marketing('POST', `/contacts/unsubscribe/${(await contactOf(email)).contact_id}`);
    await press(path);
    expect((await contactOf(email)).status).toBe('unsubscribed');
  });

  test('a phone number is stored when the e-mail is confirmed, and then confirms SMS itself', async () => {
    const made = await form({ channels: ['email', 'sms'], language: 'de' });
    const [email, phone] = [anEmail(), aPhone()];
    await submit(made, { email, phone });
    expect((await contactOf(email)).phone).toBeNull();
    expect(await mailsTo(phone)).toEqual([]);
    await press(await confirmPath(email));
    expect(await contactOf(email)).toMatchObject({ phone, consent: { sms: { state: 'never' } } });
    await press(await confirmPath(phone));
    expect((await contactOf(email)).consent.sms).toMatchObject({ state: 'subscribed', source: 'double_opt_in' });
    // A phone number of another contact stays with that contact, and gets no message.
    const thief = anEmail();
    await submit(made, { email: thief, phone });
    await press(await confirmPath(thief));
    expect((await contactOf(thief)).phone).toBeNull();
    expect(await mailsTo(phone)).toHaveLength(1);
  });

  test('an address gets one confirmation message an hour and three a day, also for simultaneous submissions', async () => {
    const made = await form();
    const email = anEmail();
    const burst = await Promise.all(Array.from({ length: 6 }, () => submit(made, { email })));
    expect(new Set(burst.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(await mailsTo(email)).toHaveLength(1);
    for (const total of [2, 3, 3, 3]) {
      server.clock.advance(HOUR + 1_000);
      await submit(made, { email });
      expect(await mailsTo(email)).toHaveLength(total);
    }
    server.clock.advance(24 * HOUR);
    await submit(made, { email });
    expect(await mailsTo(email)).toHaveLength(4);
  });

  test('a mailbox gets three a day, whatever tags its address is given', async () => {
    const made = await form();
    const box = `box${++last}`;
    const addresses = Array.from({ length: 6 }, (_, i) => `${box}${i === 0 ? '' : `+tag${i}`}@example.com`);
    for (const email of addresses) await submit(made, { email });
    const counts = [];
    for (const email of addresses) counts.push((await mailsTo(email)).length);
    expect(counts).toEqual([1, 1, 1, 0, 0, 0]);
    server.clock.advance(24 * HOUR);
    await submit(made, { email: addresses[5] });
    expect(await mailsTo(addresses[5]!)).toHaveLength(1);
  });

  test('all forms of a company send an address at most ten confirmation messages a day', async () => {
    const email = anEmail();
    for (let i = 0; i < 12; i++) await submit(await form(), { email }, { 'x-forwarded-for': `203.0.113.${i}` });
    expect(await mailsTo(email)).toHaveLength(10);
  });
});

describe('without double opt-in', () => {
  test('the consent counts at once, and its evidence is stored', async () => {
    const made = await form({ double_opt_in: false, consent_text: 'News, please.', fields: [{ name: 'last_name' }] });
    const email = anEmail();
    await submit(made, { email, last_name: 'Okafor' }, { 'user-agent': 'Firefox' });
    const contact = await contactOf(email);
    expect(contact).toMatchObject({
      status: 'subscribed',
      last_name: 'Okafor',
      consent: { email: { source: 'form' } },
    });
    expect(contact.lists).toEqual([{ list_id: list, status: 'active' }]);
    const { body } = await shop.marketing('GET', `/contacts/${contact.contact_id}/consents`);
    expect(body.consents.find((one: { channel: string }) => one.channel === 'email')).toMatchObject({
      state: 'subscribed',
      source: 'form',
      text: 'News, please.',
      ip: client,
      user_agent: 'Firefox',
    });
    expect(await mailsTo(email)).toEqual([]);
    expect(await read(made)).toMatchObject({ submissions: 1, confirmed: 1 });
  });

  test('an unsubscription stays: of the contact, and of an address without contact', async () => {
    const made = await form({ double_opt_in: false });
    const [left, erased] = [anEmail(), anEmail()];
    for (const email of [left, erased]) {
      const { body } = await shop.marketing('POST', '/contacts', { email });
      await shop.marketing('POST', `/contacts/unsubscribe/${body.contact_id}`);
      if (email === erased) await shop.marketing('DELETE', `/contacts/${body.contact_id}`);
      const sent = await submit(made, { email });
      expect(sent.body).toEqual({ ok: true, message: 'Thank you for signing up.', redirect_url: null });
      expect((await contactOf(email)).consent.email.state).toBe('unsubscribed');
    }
    expect(await read(made)).toMatchObject({ submissions: 2, confirmed: 0 });
  });

  test('a phone number is stored unless another contact has it', async () => {
    const made = await form({ double_opt_in: false, channels: ['email', 'sms'] });
    const [email, thief, phone] = [anEmail(), anEmail(), aPhone()];
    await submit(made, { email, phone });
    expect(await contactOf(email)).toMatchObject({ phone, consent: { sms: { state: 'subscribed', source: 'form' } } });
    expect((await submit(made, { email: thief, phone })).status).toBe(200);
    expect(await contactOf(thief)).toMatchObject({ phone: null, consent: { sms: { state: 'never' } } });
    const texts = await form({ double_opt_in: false, channels: ['sms'] });
    const own = aPhone();
    await submit(texts, { phone: own });
    const [row] = await server.rows('select sms_consent, email_consent from contacts where phone = $1', [own]);
    expect(row).toEqual({ sms_consent: 'subscribed', email_consent: 'never' });
  });
});

describe('an attack', () => {
  test('does not reveal known addresses: all responses are the same', async () => {
    const made = await form();
    const [known, left, unknown, held] = [anEmail(), anEmail(), anEmail(), anEmail()];
    await shop.marketing('POST', '/contacts', { email: known });
    const { body } = await shop.marketing('POST', '/contacts', { email: left });
    await shop.marketing('POST', `/contacts/unsubscribe/${body.contact_id}`);
    await shop.marketing('POST', '/suppressions', { addresses: [held] });
    const seen = [];
    for (const email of [known, left, unknown, held, unknown]) seen.push(await submit(made, { email }));
    expect(new Set(seen.map((one) => `${one.status} ${JSON.stringify(one.body)}`)).size).toBe(1);
  });

  test('from a page of another site is refused, and only allowed ones may read the response', async () => {
    const made = await form({ allowed_origins: ['https://shop.example'] });
    const email = anEmail();
    for (const origin of ['https://evil.example', 'null', 'https://shop.example.evil.example', 'http://shop.example']) {
      const refused = await submit(made, { email }, { origin });
      expect([origin, refused.status]).toEqual([origin, 403]);
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
      const asked = await server.request('OPTIONS', `/f/${made.public_id}`, { headers: { origin } });
      expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect(await contactOf(email)).toBeUndefined();
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
    const taken = await submit(made, { email }, headers);
    expect([taken.status, taken.headers.get('access-control-allow-origin')]).toEqual([200, headers.origin]);
    expect(taken.headers.get('access-control-allow-credentials')).toBeNull();
    expect(taken.headers.get('vary')).toContain('Origin');
    const asked = await server.request('OPTIONS', `/f/${made.public_id}`, { headers });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, headers.origin]);
    expect((await submit(made, { email: anEmail() }, { origin: server.origin })).status).toBe(200);
  });

  test('by a bot that fills in everything, or too fast, gets a normal response and stores nothing', async () => {
    const made = await form({ min_fill_seconds: 3 });
    const startedOf = async () =>
      (await server.request('GET', `/f/${made.public_id}`)).body.match(/name="started" value="([^"]+)"/)[1];
    const [trapped, quick, human] = [anEmail(), anEmail(), anEmail()];
    const started = await startedOf();
    const thanked = await submit(made, { email: quick, started });
    server.clock.advance(4_000);
    const tricked = await submit(made, { email: trapped, started, company_website: 'https://spam.example' });
    const taken = await submit(made, { email: human, started });
    expect([thanked.body, tricked.body]).toEqual([taken.body, taken.body]);
    for (const email of [trapped, quick]) expect(await contactOf(email)).toBeUndefined();
    expect(await contactOf(human)).toBeDefined();
    const other = await form({ min_fill_seconds: 3 });
    for (const [to, wrong] of [
      [made, undefined],
      [made, '1.AAAAAAAAAAA'],
      [other, started],
    ] as const) {
      expect((await submit(to, { email: anEmail(), ...(wrong && { started: wrong }) })).status).toBe(400);
    }
    server.clock.advance(25 * HOUR);
    expect((await submit(made, { email: anEmail(), started })).status).toBe(400);
  });

  test('in bursts by one client ends at its own limit, in the database for all processes, and leaves others alone', async () => {
    const made = await form();
    const attempt = (i: number, from = client) =>
      submit(made, { email: `burst${i}-${last}@example.com` }, { 'x-forwarded-for': from });
    const responses = await Promise.all(Array.from({ length: 25 }, (_, i) => attempt(i)));
    const refused = responses.filter(({ status }) => status === 429);
    expect([responses.filter(({ status }) => status === 200).length, refused.length]).toEqual([10, 15]);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    const counted = await server.rows<{ n: number }>(
      "select n from form_rates where form_id = $1 and subject !~ '^(mailbox|$)'",
      [made.form_id],
    );
    expect(counted[0]!.n).toBeGreaterThan(10);
    expect((await attempt(100, '192.0.2.77')).status).toBe(200);
    // The client's address is not stored with the counts.
    const rates = await server.rows('select subject from form_rates where form_id = $1', [made.form_id]);
    expect(JSON.stringify(rates)).not.toContain(client);
    server.clock.advance(600_000);
    expect((await attempt(101)).status).toBe(200);
  });

  test('from many clients is stopped by the form’s limit', async () => {
    const made = await form({ max_per_hour: 5 });
    const statuses = [];
    for (let i = 0; i < 8; i++) {
      const sent = await submit(made, { email: anEmail() }, { 'x-forwarded-for': `2001:db8:${i}::1` });
      statuses.push(sent.status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect((await submit(await form(), { email: anEmail() })).status).toBe(200);
  });

  test('with markup or templates in fields reaches neither the page nor the mail', async () => {
    const made = await form({ name: '<b>Footer</b>', fields: [{ name: 'first_name', label: '<i>Name</i>' }] });
    const nasty = '<script>alert(1)</script>{{ contact.email }}" onfocus="x';
    const page = await server.request('POST', `/f/${made.public_id}`, {
      raw: new URLSearchParams({ email: 'not an address"><script>', first_name: nasty }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': client },
    });
    expect(page.status).toBe(400);
    for (const markup of ['<script>', '<b>Footer', '<i>Name', '" onfocus']) expect(page.body).not.toContain(markup);
    expect(page.body).toContain('role="alert"');
    const email = anEmail();
    await submit(made, { email, first_name: nasty });
    const [mail] = await mailsTo(email);
    const { body } = await shop.marketing('GET', `/mailbox/${mail!.id}`);
    expect(JSON.stringify(body)).not.toMatch(/alert|onfocus/);
    const script = await server.request('GET', `/f/${made.public_id}/embed.js`);
    expect(script.body).not.toMatch(/<i>|<\/script/);
  });

  test.each([
    ['a huge body', 'application/x-www-form-urlencoded', `email=${'a'.repeat(20_000)}`, 413],
    ['another kind of body', 'text/plain', '{"email":"a@example.com"}', 400],
    ['broken JSON', 'application/json', '{"email":', 400],
    ['a list', 'application/json', '[]', 400],
    ['nested values', 'application/json', '{"email":{"a":1}}', 400],
    ['no address', 'application/json', '{}', 400],
    ['two addresses', 'application/json', '{"email":"a@example.com, b@example.com"}', 400],
    ['a header in the address', 'application/json', '{"email":"a@example.com\\r\\nBcc: b@example.com"}', 400],
    ['a line end in a field', 'application/json', '{"email":"a@example.com","first_name":"A\\nB"}', 400],
    ['NUL', 'application/json', '{"email":"a@example.com","first_name":"A\\u0000"}', 400],
    ['a long field', 'application/json', `{"email":"a@example.com","first_name":"${'A'.repeat(201)}"}`, 400],
    [
      'too many fields',
      'application/x-www-form-urlencoded',
      Array.from({ length: 60 }, (_, i) => `f${i}=1`).join('&'),
      400,
    ],
  ])('with %s is rejected', async (_name, type, raw, status) => {
    const made = await form({ fields: [{ name: 'first_name' }] });
    const headers = { 'content-type': type, 'x-forwarded-for': client };
    expect((await server.request('POST', `/f/${made.public_id}`, { raw, headers })).status).toBe(status);
    expect((await read(made)).submissions).toBe(0);
  });

  test('cannot set fields that are not part of the form', async () => {
    const made = await form({ double_opt_in: false });
    const email = anEmail();
    await submit(made, {
      email,
      external_id: '1',
      status: 'bounced',
      tags: 'vip',
      first_name: 'X',
      'properties.__proto__': 'x',
    });
    expect(await contactOf(email)).toMatchObject({ external_id: null, tags: [], first_name: null, properties: {} });
  });

  test.each(['/f/x', '/f/AAAAAAAAAAAAAAAA', '/u/form/x', `/u/form/${'A'.repeat(55)}`, '/f/x/embed.js'])(
    '%s leads nowhere',
    async (path) => expect((await server.request('GET', path)).status).toBe(404),
  );
});

describe('the hosted page', () => {
  test('works without scripts, and responds in the form’s language or with the redirect', async () => {
    const made = await form({ language: 'de', success_text: 'Danke & bis bald' });
    const page = await server.request('GET', `/f/${made.public_id}`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    expect(page.body).toMatch(/<html lang="de">[\s\S]*E-Mail-Adresse[\s\S]*required/);
    expect(page.body).not.toMatch(/<script|src=/);
    const post = (id: string) =>
      server.request('POST', `/f/${id}`, {
        raw: new URLSearchParams({ email: anEmail() }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': client },
      });
    expect((await post(made.public_id)).body).toContain('Danke &#38; bis bald');
    const away = await form({
      allowed_origins: ['https://shop.example'],
      redirect_url: 'https://shop.example/thanks?a=1',
    });
    const gone = await post(away.public_id);
    expect([gone.status, gone.headers.get('location')]).toEqual([303, 'https://shop.example/thanks?a=1']);
    const policy = (await server.request('GET', `/f/${away.public_id}`)).headers.get('content-security-policy');
    expect(policy).toContain("form-action 'self' https://shop.example;");
    // The redirect URL comes from the form only, whatever the query says.
    const asked = await server.request('POST', `/f/${away.public_id}?redirect_url=https://evil.example`, {
      body: { email: anEmail(), redirect_url: 'https://evil.example' },
      headers: { 'x-forwarded-for': client },
    });
    expect(asked.body.redirect_url).toBe('https://shop.example/thanks?a=1');
  });
});

describe('the snippet', () => {
  test('has under 5 kB with all fields and a consent text, needs nothing else and makes no markup from texts', async () => {
    const made = await form({
      channels: ['email', 'sms'],
      language: 'de',
      min_fill_seconds: 2,
      fields: ['first_name', 'last_name', 'properties.birthday', 'properties.size'].map((name) => ({
        name,
        required: true,
      })),
      consent_text: 'Ja, ich möchte Neuigkeiten und Angebote erhalten und kann das jederzeit widerrufen. '.repeat(5),
    });
    const script = await server.request('GET', `/f/${made.public_id}/embed.js`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(Buffer.byteLength(script.body)).toBeLessThan(5_000);
    expect(script.body).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval|new Function|import\(/);
    expect(() => new Function(script.body)).not.toThrow();
    expect(script.body).toContain(`${server.origin}/f/${made.public_id}`);
    expect(made.embed).toBe(`<script src="${made.page_url}/embed.js" async></script>`);
  });
});

describe('stored data', () => {
  test('is erased with the contact, and moves in a merge', async () => {
    const made = await form();
    const [email, moved] = [anEmail(), anEmail()];
    for (const one of [email, moved]) await submit(made, { email: one });
    const [gone, loser] = [await contactOf(email), await contactOf(moved)];
    await shop.marketing('DELETE', `/contacts/${gone.contact_id}`);
    expect(await server.rows('select 1 from form_submissions where contact_id = $1', [gone.contact_id])).toEqual([]);
    await shop.marketing('POST', '/contacts', { external_id: `F-${moved}` });
    const { body } = await shop.marketing('POST', '/contacts', { external_id: `F-${moved}`, email: moved });
    expect(body.contact_id).not.toBe(loser.contact_id);
    await press(await confirmPath(moved));
    expect((await contactOf(moved)).consent.email.source).toBe('double_opt_in');
  });

  test('is deleted after 30 days without confirmation; counts of clients within hours', async () => {
    const made = await form();
    const [kept, email] = [anEmail(), anEmail()];
    for (const one of [kept, email]) await submit(made, { email: one });
    await press(await confirmPath(kept));
    const path = await confirmPath(email);
    server.clock.advance(31 * 24 * HOUR);
    for (const purge of [purgeSubmissions, purgeFormRates]) await allSlices(purge(server.app.db, server.clock));
    expect(await server.rows('select 1 from form_submissions where form_id = $1', [made.form_id])).toHaveLength(1);
    expect(await server.rows('select 1 from form_rates')).toEqual([]);
    expect((await press(path)).body).toContain('nothing to confirm');
  });
});
