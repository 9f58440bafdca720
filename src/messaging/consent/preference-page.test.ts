import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { chooseLanguage } from './languages.ts';

const server = testServer();
let shop: TestCompany;
const DAY = 86_400_000;

beforeAll(async () => {
  shop = await server.company({ name: 'Fernhill <Tea>' });
});

const send = () => server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();

/** Returns the path of the preference page from a mail sent to the contact. */
async function linkOf(contact: number, options: { transactional?: boolean } = {}): Promise<string> {
  const step = { subject: 'Hi', content: '<a href="{{ preferences_url }}">Preferences</a>' };
  const { ids } = await flowMessages(server, shop, [contact], { step, ...options });
  await send();
  const { body } = await shop.marketing('GET', `/mailbox/${ids[0]}`);
  return body.html.match(/http[^"]+\/u\/[^"]+/)[0].replace(server.origin, '');
}

async function setUp(fields: Parameters<typeof contactOf>[2] = {}) {
  const id = await contactOf(server, shop, fields);
  return { id, path: await linkOf(id) };
}

const post = (path: string, raw: string, headers: Record<string, string> = {}) =>
  server.request('POST', path, { raw, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });
const read = async (id: number) => (await shop.marketing('GET', `/contacts/${id}`)).body;

/** Returns the outcomes of one more marketing message and one transactional message. */
async function outcomes(id: number): Promise<[string, string]> {
  const both = [];
  for (const transactional of [false, true]) {
    const { ids } = await flowMessages(server, shop, [id], { transactional });
    await send();
    const [row] = await ledgerOf(server, ids);
    both.push(row!.reason === null || row!.status === 'sent' ? row!.status : row!.reason);
  }
  return both as [string, string];
}

describe('a channel', () => {
  test('is left and joined again, with the proof of consent', async () => {
    const { id, path } = await setUp({ phone: '+12133734001' });
    await post(path, 'channel=no-email');
    expect((await read(id)).consent).toMatchObject({
      email: { state: 'unsubscribed', source: 'preference_page' },
      sms: { state: 'subscribed' },
    });
    await post(path, 'channel=no-sms');
    expect((await read(id)).consent.sms).toMatchObject({ state: 'unsubscribed', source: 'preference_page' });
    server.clock.advance(1_000);
    await post(path, 'channel=yes-email', { 'user-agent': 'Firefox' });
    expect((await read(id)).consent).toMatchObject({
      email: { state: 'subscribed', source: 'preference_page' },
      sms: { state: 'unsubscribed' },
    });
    const { body } = await shop.marketing('GET', `/contacts/${id}/consents`);
    expect(body.consents.at(-1)).toMatchObject({
      channel: 'email',
      state: 'subscribed',
      source: 'preference_page',
      ip: '127.0.0.1',
      user_agent: 'Firefox',
    });
    expect(await outcomes(id)).toEqual(['sent', 'sent']);
  });

  test('a new subscription lifts the suppression of the address, except a manual one', async () => {
    const { id, path } = await setUp({ email: 'byhand@example.net' });
    await post(path, 'List-Unsubscribe=One-Click');
    expect((await read(id)).consent.email.source).toBe('one_click');
    await post(path, 'channel=yes-email');
    expect(await outcomes(id)).toEqual(['sent', 'sent']);
    await shop.marketing('POST', '/suppressions', { addresses: ['byhand@example.net'] });
    await post(path, 'channel=no-email');
    await post(path, 'channel=yes-email');
    expect(await outcomes(id)).toEqual(['suppressed_manual', 'suppressed_manual']);
  });

  test('cannot be joined for another person by a link to a former address', async () => {
    const { id, path } = await setUp({ email: 'before@example.net' });
    const list = (await shop.marketing('POST', '/lists', { name: 'Former' })).body.list_id;
    await shop.marketing('POST', `/lists/${list}/contacts`, { contact_ids: [id] });
    await post(path, `leave=${list}`);
    await shop.marketing('PATCH', `/contacts/${id}`, { email: 'after@example.net' });
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`);
    expect((await server.request('GET', path)).body).not.toContain('Yes, write to me');
    await post(path, 'channel=yes-email');
    await post(path, `join=${list}`);
    expect(await read(id)).toMatchObject({ status: 'unsubscribed', lists: [{ status: 'unsubscribed' }] });
    // An opt-out counts through any link.
    await shop.marketing('POST', `/contacts/resubscribe/${id}`);
    await post(path, 'List-Unsubscribe=One-Click');
    expect((await read(id)).status).toBe('unsubscribed');
  });
});

test('a list that was left can be joined again, and no other', async () => {
  const { id, path } = await setUp();
  const [left, foreign] = await Promise.all(
    ['Left', 'Never joined'].map(async (name) => (await shop.marketing('POST', '/lists', { name })).body.list_id),
  );
  await shop.marketing('POST', `/lists/${left}/contacts`, { contact_ids: [id] });
  await post(path, `leave=${left}`);
  expect((await server.request('GET', path)).body).toContain('Come back to this list');
  await post(path, `join=${left}`);
  await post(path, `join=${foreign}`);
  expect((await read(id)).lists).toEqual([{ list_id: left, status: 'active' }]);
  const [row] = await server.rows('select consent_source, consent_ip from list_memberships where list_id = $1', [left]);
  expect(row).toEqual({ consent_source: 'preference_page', consent_ip: '127.0.0.1' });
});

describe('an internal list', () => {
  test('is neither shown on the preference page nor left or joined there', async () => {
    const { id, path } = await setUp();
    const shown = await shop.marketing('POST', '/lists', { name: 'Newsletter' });
    const internal = await shop.marketing('POST', '/lists', { name: 'Complained twice', internal: true });
    const ids = [shown.body.list_id, internal.body.list_id];
    for (const list of ids) await shop.marketing('POST', `/lists/${list}/contacts`, { contact_ids: [id] });
    const page = (await server.request('GET', path)).body;
    expect(page).toContain('Newsletter');
    expect(page).not.toContain('Complained twice');
    await post(path, `leave=${ids[1]}`);
    expect((await read(id)).lists).toEqual(ids.map((list_id) => ({ list_id, status: 'active' })));
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { list_ids: [ids[1]] });
    await post(path, `join=${ids[1]}`);
    expect((await read(id)).lists).toContainEqual({ list_id: ids[1], status: 'unsubscribed' });
    await shop.marketing('PATCH', `/lists/${ids[1]}`, { internal: false });
    expect((await server.request('GET', path)).body).toContain('Complained twice');
    await post(path, `join=${ids[1]}`);
    expect((await read(id)).lists).toContainEqual({ list_id: ids[1], status: 'active' });
  });

  test('is not named in the mail that asks for a double opt-in', async () => {
    const id = await contactOf(server, shop, { email: 'asked@example.net' });
    const list = await shop.marketing('POST', '/lists', { name: 'Cold leads', double_opt_in: true, internal: true });
    await shop.marketing('POST', `/lists/${list.body.list_id}/contacts`, { contact_ids: [id] });
    await server.app.workers.find((worker) => worker.name === 'confirmations')!.runOnce();
    await send();
    const { body } = await shop.marketing('GET', '/mailbox/latest?to=asked@example.net');
    expect(body.subject).toBe('Please confirm your subscription to Fernhill <Tea>');
    expect(body.html).not.toContain('Cold leads');
  });
});

describe('less often', () => {
  test('lets one marketing message through in the days that the company says, and all transactional ones', async () => {
    const { id, path } = await setUp();
    await post(path, 'frequency=less_often');
    expect((await read(id)).preferences).toEqual({ frequency: 'less_often', paused_until: null });
    // The mail with the link was the one let through.
    expect(await outcomes(id)).toEqual(['frequency_preference', 'sent']);
    server.clock.advance(7 * DAY + 1_000);
    expect(await outcomes(id)).toEqual(['sent', 'sent']);
    expect(await outcomes(id)).toEqual(['frequency_preference', 'sent']);
    await shop.marketing('PATCH', '/sending-settings', { less_often_days: 2 });
    server.clock.advance(2 * DAY + 1_000);
    expect((await server.request('GET', path)).body).toContain('one message in 2 days');
    expect(await outcomes(id)).toEqual(['sent', 'sent']);
    await post(path, 'frequency=all');
    expect(await outcomes(id)).toEqual(['sent', 'sent']);
    await shop.marketing('PATCH', '/sending-settings', { less_often_days: 7 });
  });

  test('counts messages that are handed over at once, in one set and by two processes', async () => {
    const { id, path } = await setUp();
    await post(path, 'frequency=less_often');
    server.clock.advance(8 * DAY);
    const queued = await Promise.all(Array.from({ length: 6 }, () => flowMessages(server, shop, [id])));
    const other = server.app.messaging.createWorker();
    await Promise.all([send(), other.runOnce()]);
    await send();
    const rows = await ledgerOf(
      server,
      queued.flatMap(({ ids }) => ids),
    );
    expect(rows.filter((row) => row.status === 'sent')).toHaveLength(1);
    expect(rows.filter((row) => row.reason === 'frequency_preference')).toHaveLength(5);
  });
});

describe('a pause', () => {
  test('of 30 days skips only marketing, and ends automatically or on the page', async () => {
    const { id, path } = await setUp();
    await post(path, 'pause=30');
    const until = new Date(server.clock.now().getTime() + 30 * DAY).toISOString().slice(0, 19).replace('T', ' ');
    expect((await read(id)).preferences).toEqual({ frequency: 'all', paused_until: until });
    expect(await outcomes(id)).toEqual(['paused_by_contact', 'sent']);
    expect((await server.request('GET', path)).body).toContain('Paused until');
    await post(path, 'pause=0');
    expect(await outcomes(id)).toEqual(['sent', 'sent']);
    await post(path, 'pause=30');
    server.clock.advance(30 * DAY);
    expect(await outcomes(id)).toEqual(['sent', 'sent']);
    expect((await server.request('GET', path)).body).toContain('Pause for 30 days');
  });

  test('and the frequency appear in the timeline', async () => {
    const { id, path } = await setUp();
    await post(path, 'pause=30');
    await post(path, 'frequency=less_often');
    await post(path, 'frequency=less_often');
    const { body } = await shop.marketing('GET', `/contacts/${id}/timeline`);
    const changes = body.timeline.filter(({ type }: { type: string }) => type === 'preferences_changed');
    expect(changes).toMatchObject([
      { data: { frequency: 'less_often', source: 'preference_page' } },
      { data: { frequency: 'all', source: 'preference_page' } },
    ]);
  });

  test('and the frequency are set over the interface, and stay where they are not named', async () => {
    const { id } = await setUp();
    server.clock.advance(1_000);
    const preferences = { frequency: 'less_often', paused_until: '2030-01-01 00:00:00' };
    const set = await shop.marketing('PATCH', `/contacts/${id}`, { preferences });
    expect([set.status, set.body.preferences]).toEqual([200, preferences]);
    await shop.marketing('PATCH', `/contacts/${id}`, { first_name: 'Bo', preferences: { paused_until: null } });
    expect((await read(id)).preferences).toEqual({ frequency: 'less_often', paused_until: null });
    const refused = await shop.marketing('PATCH', `/contacts/${id}`, { preferences: { paused_until: 'soon' } });
    expect([refused.status, refused.body.details[0].field]).toEqual([400, 'preferences.paused_until']);
    const { body } = await shop.marketing('GET', `/contacts/${id}/timeline`);
    expect(body.timeline[0]).toMatchObject({ type: 'preferences_changed', data: { source: 'api' } });
  });

  test('of either of two contacts that become one stays', async () => {
    const [winner, loser] = ['M-1', undefined].map((external_id, i) => ({
      external_id,
      email: `merge${i}@example.net`,
    }));
    await shop.marketing('POST', '/contacts', { ...winner, preferences: { paused_until: '2029-01-01 00:00:00' } });
    await shop.marketing('POST', '/contacts', {
      ...loser,
      preferences: { frequency: 'less_often', paused_until: '2030-01-01 00:00:00' },
    });
    const { body } = await shop.marketing('POST', '/contacts', { external_id: 'M-1', email: loser!.email });
    expect(body.preferences).toEqual({ frequency: 'less_often', paused_until: '2030-01-01 00:00:00' });
  });
});

describe('the page', () => {
  test('changes nothing when it is opened, whatever its address says', async () => {
    const { id, path } = await setUp();
    const before = await read(id);
    for (const query of ['', '?leave=everything', '?channel=no-email', '?pause=30', '?frequency=less_often']) {
      expect((await server.request('GET', path + query)).status).toBe(200);
    }
    expect(await read(id)).toEqual(before);
  });

  test.each(['channel=', 'channel=yes-fax', 'frequency=never', 'pause=31', 'pause=-1', 'join=0', 'channel=__proto__'])(
    'refuses %s and changes nothing',
    async (raw) => {
      const { id, path } = await setUp();
      const before = await read(id);
      expect((await post(path, raw)).status).toBe(400);
      expect(await read(id)).toEqual(before);
    },
  );

  test('needs no script, is closed to everything from outside, and names what each button is about', async () => {
    const { path } = await setUp({ email: 'whole.name@example.net', phone: '+12133734002' });
    const page = await server.request('GET', path);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(page.body).not.toMatch(/<script|https?:\/\/|src=/);
    expect(page.body).toContain('Fernhill &#60;Tea&#62;');
    expect(page.body).toContain('aria-label="SMS: Do not write to me"');
    expect(page.body).toMatch(/<legend>.*How often/);
    expect(page.body).toContain('name="viewport"');
    // A forwarded mail reveals the addresses to nobody.
    expect(page.body).not.toMatch(/whole\.name|2133734002/);
    expect(page.body).toContain('w…@example.net');
  });

  test('speaks the language of the contact, else of the browser, else of the company', async () => {
    const [german, nobody] = [await setUp({ properties: { language: 'de-AT' } }), await setUp()];
    const titleOf = async (path: string, accept: string) =>
      (await server.request('GET', path, { headers: { 'accept-language': accept } })).body.match(/lang="(..)"/)[1];
    expect(await titleOf(german.path, 'en')).toBe('de');
    expect(await titleOf(nobody.path, 'fr, de;q=0.8, en;q=0.5')).toBe('de');
    expect(await titleOf(nobody.path, 'fr')).toBe('en');
    await shop.marketing('PATCH', '/sending-settings', { language: 'de' });
    expect(await titleOf(nobody.path, 'fr')).toBe('de');
    expect((await post(nobody.path, 'pause=30', { 'accept-language': 'fr' })).body).toContain('Gespeichert.');
    await shop.marketing('PATCH', '/sending-settings', { language: 'en' });
  });
});

test.each([
  [{}, undefined, 'en'],
  [{ language: 'German' }, 'de', 'de'],
  [{ language: 'DE' }, 'en', 'de'],
  [{ locale: 'de_CH.UTF-8' }, 'en', 'de'],
  [{ language: 7, locale: null }, '*', 'en'],
  [{}, 'de;q=0, en;q=0.1', 'en'],
  [{}, 'en;q=0.2, de-DE;q=0.9', 'de'],
  [{}, ',;;q=,', 'en'],
])('the language of %j with %s is %s', (properties, header, language) => {
  expect(chooseLanguage(properties, header, 'en')).toBe(language);
});
