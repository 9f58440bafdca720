import { describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { createClaims } from '../send/claim.ts';
import { queueMessages } from '../service.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { signToken } from './tokens.ts';

const server = testServer();
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

/** One sent mail, with the paths of its links. */
async function sentMail(shop: TestCompany, options: { contact?: number; step?: object } = {}) {
  const { contact = await contactOf(server, shop), step } = options;
  const { ids } = await flowMessages(server, shop, [contact], { step });
  await sender().runOnce();
  const { body } = await shop.marketing('GET', `/mailbox/${ids[0]}`);
  const path = (pattern: RegExp): string => body.html.match(pattern)[0].replace(server.origin, '');
  return {
    contact,
    id: ids[0]!,
    unsubscribe: path(/http[^"]+\/u\/[^"]+/),
    open: path(/http[^"]+\/t\/o\/[^"]+/),
    click: path(/http[^"]+\/t\/c\/[^"]+/),
  };
}

const statusOf = async (contact: number) =>
  (await server.rows<{ status: string }>('select status from contacts where id = $1', [contact]))[0]!.status;
const activityOf = async (id: number) =>
  (
    await server.rows<{ type: string }>('select type from message_activity where message_id = $1 order by type', [id])
  ).map((row) => row.type);
const form = (text: string) => ({ raw: text, headers: { 'content-type': 'application/x-www-form-urlencoded' } });

describe('unsubscribing', () => {
  test('opening the link changes nothing; the one-click POST does, once and for all', async () => {
    const shop = await server.company({ name: '<Tea>' });
    const mail = await sentMail(shop);
    const page = await server.request('GET', mail.unsubscribe);
    expect(page.status).toBe(200);
    expect(page.body).toContain('&#60;Tea&#62;');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('set-cookie')).toBeNull();
    expect(await statusOf(mail.contact)).toBe('subscribed');

    expect((await server.request('POST', mail.unsubscribe, form('List-Unsubscribe=One-Click'))).status).toBe(200);
    expect(await statusOf(mail.contact)).toBe('unsubscribed');
    expect(await activityOf(mail.id)).toEqual(['unsubscribed']);
    expect((await server.request('POST', mail.unsubscribe, form('List-Unsubscribe=One-Click'))).status).toBe(200);

    const { ids } = await flowMessages(server, shop, [mail.contact]);
    await sender().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped', reason: 'unsubscribed' }]);
  });

  test('a HEAD request of a scanner succeeds and changes nothing', async () => {
    const mail = await sentMail(await server.company());
    for (const path of [mail.unsubscribe, '/u/confirm/x']) {
      const [head, page] = [await server.request('HEAD', path), await server.request('GET', path)];
      expect([head.status, head.headers.get('content-type')]).toEqual([page.status, page.headers.get('content-type')]);
    }
    expect(await statusOf(mail.contact)).toBe('subscribed');
  });

  test('a body that no page sends is refused as too large, not as a server error', async () => {
    const mail = await sentMail(await server.company());
    const refused = await server.request('POST', mail.unsubscribe, form('a='.padEnd(20_000, 'x')));
    expect([refused.status, refused.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
    expect(await statusOf(mail.contact)).toBe('subscribed');
  });

  test('the one-click body may come as the other kind of form', async () => {
    const mail = await sentMail(await server.company());
    const body = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await server.request('POST', mail.unsubscribe, { raw: body, headers })).status).toBe(200);
    expect(await statusOf(mail.contact)).toBe('unsubscribed');
  });

  test('one list can be left alone', async () => {
    const shop = await server.company();
    const mail = await sentMail(shop);
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [mail.contact] });
    expect((await server.request('GET', mail.unsubscribe)).body).toContain('News');
    await server.request('POST', mail.unsubscribe, form(`leave=${list.list_id}`));
    expect(await statusOf(mail.contact)).toBe('subscribed');
    const rows = await server.rows('select status from list_memberships where contact_id = $1', [mail.contact]);
    expect(rows).toEqual([{ status: 'unsubscribed' }]);
    for (const leave of ['', 'abc', '0', '1.5', '0x10', ' 5', '9'.repeat(30)]) {
      const refused = await server.request('POST', mail.unsubscribe, form(`leave=${leave}`));
      expect([leave, refused.status]).toEqual([leave, 400]);
    }
    const other = await sentMail(shop, { contact: mail.contact });
    for (const leave of [list.list_id, 999_999_999]) {
      await server.request('POST', other.unsubscribe, form(`leave=${leave}`));
    }
    expect([await activityOf(mail.id), await activityOf(other.id)]).toEqual([['unsubscribed'], []]);
    expect(await statusOf(mail.contact)).toBe('subscribed');
  });

  test('works for a contact merged since the mail, and for none once it is erased', async () => {
    const shop = await server.company();
    const { body: old } = await shop.marketing('POST', '/contacts', { email: 'merged@example.net' });
    const mail = await sentMail(shop, { contact: old.contact_id });
    const { body: known } = await shop.marketing('POST', '/contacts', { external_id: 'C-7' });
    const merged = await shop.marketing('POST', '/contacts', { external_id: 'C-7', email: old.email });
    expect(merged.body.contact_id).toBe(known.contact_id);
    expect((await server.request('GET', mail.unsubscribe)).body).toContain('Unsubscribe from everything');
    expect((await server.request('POST', mail.unsubscribe, form('List-Unsubscribe=One-Click'))).status).toBe(200);
    expect(await statusOf(known.contact_id)).toBe('unsubscribed');
    expect(await activityOf(mail.id)).toEqual(['unsubscribed']);
    await shop.marketing('DELETE', `/contacts/${known.contact_id}`);
    expect((await server.request('POST', mail.unsubscribe, form(''))).body).toContain('nothing that we would send');
  });

  test('a claimed message is not sent any more', async () => {
    const shop = await server.company();
    const mail = await sentMail(shop);
    const { ids } = await flowMessages(server, shop, [mail.contact]);
    const work = { company_id: shop.company_id, lane: 1 as const, campaign_id: null };
    await createClaims(server.app.db).take(work, { now: server.clock.now(), limit: 1, channels: ['email'] });
    await server.request('POST', mail.unsubscribe, form('List-Unsubscribe=One-Click'));
    await server.rows(
      "update message_claims set lease_until = now() - interval '1 second' where message_id = any($1)",
      [ids],
    );
    await server.app.messaging.createWorker().runOnce();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'skipped' }]);
  });

  test.each(['/u/x', `/u/${'A'.repeat(55)}`, `/t/o/${'A'.repeat(55)}`, `/t/c/${'A'.repeat(55)}/1`, '/u/confirm/x'])(
    '%s leads nowhere',
    async (path) => expect((await server.request('GET', path)).status).toBe(404),
  );
});

describe('opens and clicks', () => {
  test('are counted once each; the link leads to the address that was stored', async () => {
    const mail = await sentMail(await server.company());
    for (let i = 0; i < 2; i++) {
      const pixel = await server.request('GET', mail.open);
      expect([pixel.status, pixel.headers.get('content-type')]).toEqual([200, 'image/gif']);
      const redirect = await server.request('GET', mail.click);
      expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'https://shop.example/a?x=1&y=2']);
    }
    expect(await activityOf(mail.id)).toEqual(['clicked', 'link_clicked', 'opened']);
  });

  test.each([
    ['https://shop.example/€/ü?x=✓ y#ß', 'https://shop.example/%E2%82%AC/%C3%BC?x=%E2%9C%93%20y#%C3%9F'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example/'],
    ['https://shop.example?a=%2f&b={c}', 'https://shop.example?a=%2f&b={c}'],
  ])('a link to %s is followed', async (url, location) => {
    const mail = await sentMail(await server.company(), { step: { subject: 'Hi', content: `<a href="${url}">x</a>` } });
    const redirect = await server.request('GET', mail.click);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, location]);
  });

  test('are counted while the mail server has not replied yet, and not before it was asked', async () => {
    const shop = await server.company();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    const content = { companyId: shop.company_id, subject: ids[0]!, detail: 0 };
    const open = `/t/o/${signToken(server.app.messaging.tokenKey, 'message', content)}`;
    await server.request('GET', open);
    expect(await activityOf(ids[0]!)).toEqual([]);
    const claim =
      "insert into message_claims (company_id, message_id, lease_until, step, handed_over_at) values ($1, $2, now() + interval '1 minute', 'handing_over', now())";
    await server.rows(claim, [shop.company_id, ids[0]]);
    await server.request('GET', open);
    expect(await activityOf(ids[0]!)).toEqual(['opened']);
  });

  test('show that a message with an unknown outcome has arrived', async () => {
    const shop = await server.company();
    const mail = await sentMail(shop);
    await server.rows("update messages set status = 'unknown', reason = 'x' where id = $1", [mail.id]);
    expect((await shop.marketing('GET', '/messages?status=unknown')).body.pagination.total).toBe(1);
    await server.request('GET', mail.open);
    expect(await ledgerOf(server, [mail.id])).toMatchObject([{ status: 'sent', reason: 'noticed' }]);
    expect((await shop.marketing('GET', '/messages?status=unknown')).body.pagination.total).toBe(0);
    expect((await shop.marketing('POST', `/messages/retry/${mail.id}`)).status).toBe(400);
  });

  test('an unknown link, or one of another company, is rejected', async () => {
    const mail = await sentMail(await server.company());
    const other = await sentMail(await server.company());
    const [foreign, own] = [other, mail].map(({ click }) => click.split('/').at(-1)!) as [string, string];
    for (const link of [foreign, '999999', own.split('-')[0]!, `999999${own.slice(own.indexOf('-'))}`]) {
      expect((await server.request('GET', mail.click.replace(own, link))).status, link).toBe(404);
    }
    expect((await server.request('GET', `${mail.click}?url=https://evil.example`)).headers.get('location')).toBe(
      'https://shop.example/a?x=1&y=2',
    );
  });

  test('recipients cannot guess the links of others, which may be personal', async () => {
    const shop = await server.company();
    const step = {
      subject: 'Hi',
      content: '<a href="https://shop.example/?for={{ contact.email | url_encode }}">Mine</a>',
    };
    const [ann, bob] = await Promise.all([sentMail(shop, { step }), sentMail(shop, { step })]);
    const linkOf = ({ click }: { click: string }): string => click.split('/').at(-1)!;
    const [mine, theirs] = [linkOf(ann), linkOf(bob)];
    expect(mine).not.toBe(theirs);
    const guessed = `${theirs.split('-')[0]}-${mine.split('-').slice(1).join('-')}`;
    expect((await server.request('GET', ann.click.replace(mine, guessed))).status).toBe(404);
    expect((await server.request('GET', ann.click)).status).toBe(302);
  });

  test('are followed by programs that ask for the head alone, and count as theirs', async () => {
    const mail = await sentMail(await server.company());
    expect((await server.request('HEAD', mail.click)).headers.get('location')).toBe('https://shop.example/a?x=1&y=2');
    expect((await server.request('HEAD', mail.open)).status).toBe(200);
    expect(await activityOf(mail.id)).toEqual(['machine_opened']);
  });

  test('an order counts for the message of the last click, also where that was not the first on it', async () => {
    const shop = await server.company();
    const DAY = 86_400_000;
    const contact = await contactOf(server, shop);
    const [old, recent] = [await sentMail(shop, { contact }), await sentMail(shop, { contact })];
    const [{ email } = { email: '' }] = await server.rows<{ email: string }>(
      'select email from contacts where id = $1',
      [contact],
    );
    const order = (order_id: string, more: object = {}) =>
      shop.marketing('POST', '/events', {
        event_type: 'order_placed',
        event_data: { order_id, email, total: 10 },
        ...more,
      });
    const converted = () =>
      server.rows(
        "select message_id::int from message_activity where type = 'converted' and contact_id = $1 order by reference",
        [contact],
      );
    await server.request('GET', old.click);
    server.clock.advance(60_000);
    await server.request('GET', recent.click);
    server.clock.advance(4 * DAY);
    await Promise.all([server.request('GET', old.click), server.request('GET', old.click)]);
    await order('told late', { occurred_at: new Date(server.clock.now().getTime() - 2 * DAY).toISOString() });
    server.clock.advance(4 * DAY);
    await order('at once');
    // The first order lies between the clicks of one message and after the only click of the other.
    expect(await converted()).toEqual([{ message_id: recent.id }, { message_id: old.id }]);
  });

  test('an order after a click counts for that message, with its amount', async () => {
    const shop = await server.company();
    const mail = await sentMail(shop);
    await server.request('GET', mail.click);
    server.clock.advance(86_400_000);
    const [contact] = await server.rows<{ email: string }>('select email from contacts where id = $1', [mail.contact]);
    const event_data = { order_id: 'o-1', email: contact!.email, total: 59.97 };
    expect((await shop.marketing('POST', '/events', { event_type: 'order_placed', event_data })).status).toBe(201);
    const rows = await server.rows(
      "select message_id::int, amount::int from message_activity where type = 'converted' and contact_id = $1",
      [mail.contact],
    );
    expect(rows).toEqual([{ message_id: mail.id, amount: 5997 }]);
    server.clock.advance(6 * 86_400_000);
    await shop.marketing('POST', '/events', {
      event_type: 'order_placed',
      event_data: { ...event_data, order_id: 'o-2' },
    });
    expect(
      await server.rows("select 1 from message_activity where type = 'converted' and contact_id = $1", [mail.contact]),
    ).toHaveLength(1);
  });
});

test('the pages have the logo and the color of the brand kit', async () => {
  const shop = await server.company();
  await shop.marketing('PATCH', '/brand-kit', {
    logo_url: 'https://brand.example/logo.png',
    style: { button: '#112233' },
  });
  const { contact, unsubscribe } = await sentMail(shop);
  const tokenOf = (kind: 'confirmation' | 'form', detail: number) =>
    signToken(server.app.messaging.tokenKey, kind, { companyId: shop.company_id, subject: contact, detail });
  for (const path of [unsubscribe, `/u/confirm/${tokenOf('confirmation', 1)}`, `/u/form/${tokenOf('form', 1)}`]) {
    for (const method of ['GET', 'POST']) {
      const { status, body, headers } = await server.request(method, path, method === 'GET' ? {} : form(''));
      expect([path, method, status]).toEqual([path, method, 200]);
      expect(body).toContain('<img src="https://brand.example/logo.png" alt=""');
      expect(body).toContain('background: #112233; color: #ffffff');
      expect(headers.get('content-security-policy')).toContain('; img-src https://brand.example');
    }
  }
});

test('a confirmation mail leads to a page whose button puts the contact on the list', async () => {
  const shop = await server.company();
  const contact = await contactOf(server, shop);
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News', double_opt_in: true });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [contact] });
  await server.app.db.tx((tx) => queueMessages(tx, shop.company_id, [], server.clock.now()));
  for (const name of ['confirmations', 'sender']) {
    await server.app.workers.find((worker) => worker.name === name)!.runOnce();
  }
  const { body: found } = await shop.marketing('GET', '/mailbox');
  expect(found.messages).toMatchObject([{ subject: 'Please confirm your subscription to News', contact_id: contact }]);
  const { body: mail } = await shop.marketing('GET', `/mailbox/${found.messages[0].id}`);
  const path = mail.html.match(/http[^"]+\/u\/confirm\/[^"]+/)[0].replace(server.origin, '');
  const membership = () => server.rows('select status from list_memberships where contact_id = $1', [contact]);
  expect((await server.request('GET', path)).status).toBe(200);
  expect(await membership()).toEqual([{ status: 'pending' }]);
  await server.request('POST', path, form(''));
  expect(await membership()).toEqual([{ status: 'active' }]);
});

test('a confirmation mail is in the language of the contact, else in that of the company', async () => {
  const shop = await server.company({ name: 'Fernhill' });
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News', double_opt_in: true });
  const subjects = new Map<string, string>([
    ['Bitte bestätigen Sie Ihre Anmeldung: News', '„News“'],
    ['Please confirm your subscription to News', '“News”'],
  ]);
  const [german, english] = [...subjects.keys()];
  const asked = async (properties: object): Promise<string | undefined> => {
    const contact = await contactOf(server, shop, { properties });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [contact] });
    for (const name of ['confirmations', 'sender']) {
      await server.app.workers.find((worker) => worker.name === name)!.runOnce();
    }
    const { body: found } = await shop.marketing('GET', '/mailbox');
    const [{ id, subject, contact_id }] = found.messages;
    expect(contact_id).toBe(contact);
    const { body: mail } = await shop.marketing('GET', `/mailbox/${id}`);
    expect(mail.html).toContain(subjects.get(subject));
    return subject;
  };
  expect(await asked({ language: 'de-AT' })).toBe(german);
  expect(await asked({ locale: 'de_CH' })).toBe(german);
  expect(await asked({ language: 'fr' })).toBe(english);
  await shop.marketing('PATCH', '/sending-settings', { language: 'de' });
  expect(await asked({})).toBe(german);
  expect(await asked({ language: 'en' })).toBe(english);
});
