import { beforeEach, describe, expect, test } from 'vitest';
import { dump, settle } from '../erasure/markers.ts';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { sample, TestImports } from './testing/imports.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const contact = async (email: string) =>
  (await shop.marketing('GET', `/contacts?search=${encodeURIComponent(email)}`)).body.contacts.find(
    (one: { email: string }) => one.email === email,
  );

async function isSound(): Promise<void> {
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
}

describe('a Mailchimp audience', () => {
  test('becomes contacts with tags, properties and the consent that was chosen, with its evidence', async () => {
    const list = (await shop.marketing('POST', '/lists', { name: 'News', double_opt_in: true })).body.list_id;
    const done = await imports.import('mailchimp', sample('mailchimp'), {
      email_consent: 'subscribed',
      list_id: list,
      tags: ['mailchimp'],
    });
    expect(done).toMatchObject({ status: 'done', total: 3, created: 2, refused: 1 });
    expect(await contact('rosalind@example.com')).toMatchObject({
      first_name: 'Rosalind',
      status: 'subscribed',
      source: 'mailchimp',
      tags: ['vip', 'lab', 'mailchimp'],
      properties: { favourite_colour: 'green', birthday: '07/25', country: 'GB' },
      consent: { email: { state: 'subscribed', source: 'import' }, sms: { state: 'never', source: 'import' } },
      lists: [{ list_id: list, status: 'active' }],
    });
    const [refused] = await imports.findings(done.id);
    expect(refused).toMatchObject({ row: 4, column: 'Email Address', field: 'email', cells: expect.any(Array) });
    expect(refused.reason).toContain('is no e-mail address');
    await settle(server);
    // No confirmation is requested, so no mail is written.
    expect(await server.rows('select 1 from messages where company_id = $1', [shop.company_id])).toEqual([]);
    await isSound();
  });

  test('asks for the consent where no column has one', async () => {
    const id = await imports.upload('mailchimp', sample('mailchimp'));
    expect(await imports.call('GET', `/imports/${id}/preview`)).toMatchObject({
      needs_consent: true,
      header: expect.arrayContaining(['Email Address', 'TAGS']),
      sample: [expect.arrayContaining(['rosalind@example.com']), expect.any(Array), expect.any(Array)],
    });
    expect(await imports.check(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('consent') });
    expect(await imports.check(id, { email_consent: 'never' })).toMatchObject({ status: 'checked', created: 2 });
  });
});

describe('Klaviyo profiles', () => {
  test('keep the consent of each channel, and who left or bounced gets nothing', async () => {
    const done = await imports.import('klaviyo', sample('klaviyo'));
    expect(done).toMatchObject({ created: 4, refused: 0 });
    expect(await contact('lise@example.com')).toMatchObject({
      phone: '+4930123456',
      source: 'Footer form',
      properties: { organization: 'KWI', city: 'Berlin', favourite_drink: 'tea' },
      consent: { email: { state: 'subscribed' }, sms: { state: 'never' } },
    });
    expect(await contact('chien@example.com')).toMatchObject({ consent: { sms: { state: 'subscribed' } } });
    for (const email of ['emmy@example.com', 'bounced@example.com']) {
      expect(await contact(email)).toMatchObject({
        status: 'unsubscribed',
        consent: { email: { state: 'unsubscribed', source: 'import' } },
      });
    }
    // The address itself is suppressed, so it stays out whoever creates it again.
    const again = await new TestImports(server, shop).import('csv-contacts', 'email,consent\nEMMY@example.com,yes\n');
    expect(again).toMatchObject({ unchanged: 1 });
    await isSound();
  });
});

describe('a suppressed address', () => {
  test('stays out, whatever the file says, and the check tells how many', async () => {
    const { contact_id } = (await shop.marketing('POST', '/contacts', { email: 'left@example.com' })).body;
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`, {});
    await shop.marketing('DELETE', `/contacts/${contact_id}`);
    await settle(server);
    const done = await imports.import('csv-contacts', 'email,subscribed\nleft@example.com,yes\nnew@example.com,yes\n');
    expect(done).toMatchObject({ created: 2, suppressed: 1 });
    expect(await contact('left@example.com')).toMatchObject({ status: 'unsubscribed' });
    expect(await contact('new@example.com')).toMatchObject({ status: 'subscribed' });
  });
});

describe('a plain file', () => {
  test('is mapped by its headers, in any order and language; the mapping can be corrected', async () => {
    const file = 'Nachname;Vorname;E-Mail-Adresse;Lieblingsfarbe\nNoether;Emmy;emmy@example.com;blau\n';
    const id = await imports.upload('csv-contacts', file);
    const { mapping } = await imports.call('GET', `/imports/${id}/preview`);
    expect(mapping).toEqual(['last_name', 'first_name', 'email', null]);
    await imports.check(id, {
      mapping: ['last_name', 'first_name', 'email', 'property:colour'],
      email_consent: 'never',
    });
    await imports.run(id);
    expect(await contact('emmy@example.com')).toMatchObject({ last_name: 'Noether', properties: { colour: 'blau' } });
    const other = await imports.upload('csv-contacts', file);
    const wrong = (mapping: unknown[]) => shop.commerce('POST', `/imports/${other}/check`, { mapping });
    expect((await wrong(['email', 'email', null, null])).status).toBe(422);
    expect((await wrong(['no_such_field', null, null, null])).status).toBe(422);
  });

  test('reports repeated rows, and counts new, changed and unchanged ones', async () => {
    await shop.marketing('POST', '/contacts', { email: 'a@example.com', first_name: 'A' });
    await shop.marketing('POST', '/contacts', { email: 'b@example.com', first_name: 'B' });
    const file = 'email,first name\na@example.com,A\nb@example.com,Bea\nc@example.com,C\nC@Example.com,C again\n';
    const done = await imports.import('csv-contacts', file, { email_consent: 'subscribed' });
    expect(done).toMatchObject({ created: 1, updated: 1, unchanged: 1, refused: 1, total: 4, position: 4 });
    expect(await imports.findings(done.id)).toMatchObject([{ row: 5, reason: 'repeats row 4' }]);
    // With `only_new`, existing records stay as they are.
    const only = await imports.import('csv-contacts', 'email,first name\nb@example.com,Bob\nd@example.com,D\n', {
      email_consent: 'subscribed',
      only_new: true,
    });
    expect(only).toMatchObject({ created: 1, unchanged: 1 });
    expect(await contact('b@example.com')).toMatchObject({ first_name: 'Bea' });
  });

  test('of people who share a phone number keeps them apart', async () => {
    const file = 'email,phone\na@example.com,+12133734253\nb@example.com,+12133734253\n';
    expect(await imports.import('csv-contacts', file, { email_consent: 'never' })).toMatchObject({ created: 2 });
    expect(await contact('a@example.com')).toMatchObject({ phone: '+12133734253' });
    expect(await contact('b@example.com')).toMatchObject({ phone: null });
  });
});

describe('two rows of one contact', () => {
  const phone = '+12133734253';
  const file = `email,phone,external id,first name
a@example.com,${phone},,A
,${phone},,Ann
b@example.com,,x1,B
,,x1,Bea
`;

  test.each([false, true])('put it on the list once, with only_new %s', async (only_new) => {
    await shop.marketing('POST', '/contacts', { email: 'a@example.com', phone, first_name: 'Old' });
    const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
    const id = await imports.upload('csv-contacts', file);
    await imports.check(id, { email_consent: 'never', list_id, only_new });
    expect(await imports.run(id)).toMatchObject({ status: 'done', created: 1, refused: 0, position: 4 });
    expect(await contact('a@example.com')).toMatchObject({
      first_name: only_new ? 'Old' : 'Ann',
      lists: [{ list_id, status: 'active' }],
    });
    expect(await contact('b@example.com')).toMatchObject({ first_name: 'Bea', lists: [{ list_id }] });
    expect(await imports.undo(id)).toMatchObject({ status: 'undone', kept: 0 });
    expect(await contact('a@example.com')).toMatchObject({ first_name: 'Old', lists: [] });
    expect(await contact('b@example.com')).toBeUndefined();
    await isSound();
  });
});

describe('an undo', () => {
  test('removes new contacts and restores changed ones, except those changed or used since', async () => {
    await shop.marketing('POST', '/contacts', { email: 'old@example.com', first_name: 'Old', tags: ['kept'] });
    await shop.marketing('POST', '/contacts', { email: 'old2@example.com', first_name: 'Old2' });
    const rows = Array.from({ length: 1_200 }, (_, i) => `new${i}@example.com,New ${i},yes,x`);
    const file = `email,first name,subscribed,tags\nold@example.com,Changed,yes,x\nold2@example.com,Changed,yes,x\n${rows.join('\n')}\n`;
    const done = await imports.import('csv-contacts', file);
    expect(done).toMatchObject({ created: 1_200, updated: 2, undo_until: expect.any(String) });
    server.clock.advance(1_000);
    const touched = await contact('new7@example.com');
    await shop.marketing('PATCH', `/contacts/${touched.contact_id}`, { first_name: 'Touched' });
    const active = await contact('new8@example.com');
    const event = { event_type: 'order_completed', event_data: { order_id: '1', email: active.email } };
    expect((await shop.marketing('POST', '/events', event)).status).toBe(201);
    await shop.marketing('PATCH', `/contacts/${(await contact('old2@example.com')).contact_id}`, { tags: ['y'] });
    const undone = await imports.undo(done.id);
    expect(undone).toMatchObject({ status: 'undone', undone: 1_199, kept: 3 });
    expect(await imports.findings(done.id, 'undo')).toHaveLength(3);
    expect(await contact('old@example.com')).toMatchObject({ first_name: 'Old', tags: ['kept'] });
    expect(await contact('old2@example.com')).toMatchObject({ first_name: 'Changed', tags: ['x', 'y'] });
    const left = await server.rows<{ email: string }>(
      'select email from contacts where company_id = $1 order by email',
      [shop.company_id],
    );
    expect(left.map(({ email }) => email)).toEqual([
      ...['new7@example.com', 'new8@example.com', 'old2@example.com', 'old@example.com'],
    ]);
    await isSound();
  });

  test('is possible for seven days', async () => {
    const done = await imports.import('csv-contacts', 'email,consent\nweek@example.com,yes\n');
    server.clock.advance(8 * 86_400_000);
    const late = await shop.commerce('POST', `/imports/${done.id}/undo`);
    expect([late.status, late.body.message ?? late.body.error?.message]).toEqual([
      400,
      expect.stringContaining('7 days'),
    ]);
  });

  test('takes no unsubscription back', async () => {
    await shop.marketing('POST', '/contacts', { email: 'was@example.com' });
    const done = await imports.import('csv-contacts', 'email,first name\nwas@example.com,Name\n', {
      email_consent: 'unsubscribed',
    });
    expect(await contact('was@example.com')).toMatchObject({ status: 'unsubscribed', first_name: 'Name' });
    expect(await imports.undo(done.id)).toMatchObject({ undone: 1, kept: 0 });
    expect(await contact('was@example.com')).toMatchObject({ status: 'unsubscribed', first_name: null });
  });
});

test('an erasure leaves nothing of the person in files, refused rows and journals', async () => {
  const { contact_id } = (await shop.marketing('POST', '/contacts', { email: 'zqimport@example.com' })).body;
  const file =
    'email,first name,consent\nzqimport@example.com,zqfirst,yes\nzqimport@example.com,zqagain,yes\nother@example.com,O,yes\n';
  const done = await imports.import('csv-contacts', file);
  expect(done).toMatchObject({ created: 1, updated: 1, refused: 1 });
  await imports.upload('csv-contacts', file);
  const holding = async () => [
    ...new Set((await dump(server)).filter(({ row }) => holds(row)).map(({ table }) => table)),
  ];
  const holds = (row: string): boolean => /zq(import|first|again)/.test(row) || row.includes(hex);
  const hex = Buffer.from('zqimport').toString('hex');
  expect(await holding()).toEqual(expect.arrayContaining(['import_chunks', 'import_findings', 'import_journal']));
  await shop.marketing('DELETE', `/contacts/${contact_id}`);
  const left = async () => {
    await settle(server);
    return holding();
  };
  await expect.poll(left).toEqual([]);
  expect(await imports.undo(done.id)).toMatchObject({ undone: 1, kept: 0 });
});
