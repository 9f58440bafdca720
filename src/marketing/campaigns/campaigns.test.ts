import { describe, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { messagingInvariants } from '../../messaging/invariants.ts';
import { contactOf } from '../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();

const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
/** Runs both workers until neither has anything to do. */
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

async function listWith(shop: TestCompany, size: number): Promise<{ list: number; contacts: number[] }> {
  const contacts = await Promise.all(Array.from({ length: size }, () => contactOf(server, shop)));
  const { body } = await shop.marketing('POST', '/lists', { name: 'News' });
  if (size > 0) await shop.marketing('POST', `/lists/${body.list_id}/contacts`, { contact_ids: contacts });
  return { list: body.list_id, contacts };
}

const MAIL = {
  name: 'Spring',
  type: 'email',
  subject: 'Hello {{ contact.first_name }}',
  content: '<p>{{ campaign.name }} <a href="https://shop.example/spring">See</a></p>',
};
const EMPTY_COUNTS = {
  queued: 0,
  sent: 0,
  failed: 0,
  skipped: 0,
  unknown: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  machine_opened: 0,
  complained: 0,
  unsubscribed: 0,
  converted: 0,
  revenue: 0,
  refunded: 0,
  net: 0,
};

async function draft(shop: TestCompany, fields: object = {}): Promise<number> {
  const made = await shop.marketing('POST', '/campaigns', { ...MAIL, ...fields });
  expect(made.body).toMatchObject({ name: 'Spring' });
  return made.body.campaign_id;
}

describe('a campaign', () => {
  test('is created as a draft, read, updated, listed, copied and deleted', async () => {
    const shop = await server.company();
    const made = await shop.marketing('POST', '/campaigns', { name: 'Spring', type: 'email' });
    expect(made.status).toBe(201);
    const { campaign_id: id } = made.body;
    expect(made.body).toMatchObject({
      status: 'draft',
      subject: null,
      list_id: null,
      recipients: 0,
      counts: EMPTY_COUNTS,
    });
    const changed = await shop.marketing('PATCH', `/campaigns/${id}`, { ...MAIL, name: 'Summer' });
    expect(changed.body).toMatchObject({ campaign_id: id, name: 'Summer', subject: MAIL.subject });
    const copy = await shop.marketing('POST', `/campaigns/duplicate/${id}`);
    expect([copy.status, copy.body.name, copy.body.status]).toEqual([201, 'Copy of Summer', 'draft']);
    await shop.marketing('POST', '/campaigns', { name: 'Text', type: 'sms' });
    const { body: list } = await shop.marketing('GET', '/campaigns?type=email&status=draft&per_page=1');
    expect(list.campaigns.map((one: { campaign_id: number }) => one.campaign_id)).toEqual([copy.body.campaign_id]);
    expect(list.pagination).toEqual({ page: 1, per_page: 1, total: 2, total_pages: 2 });
    expect((await shop.marketing('DELETE', `/campaigns/${id}`)).body).toEqual({ campaign_id: id, deleted: true });
    expect((await shop.marketing('GET', `/campaigns/${id}`)).status).toBe(404);
  });

  test.each([
    [{ type: 'email' }, /name/],
    [{ name: 'x' }, /type/],
    [{ name: 'x', type: 'fax' }, /type/],
    [{ ...MAIL, list_id: 999_999 }, /list_id/],
    [{ ...MAIL, segment_id: 999_999 }, /segment_id/],
    [{ ...MAIL, template_id: 999_999 }, /template_id/],
    [{ ...MAIL, content: '{{ x | evil }}' }, /content/],
    [{ ...MAIL, scheduled_at: 'soon' }, /scheduled_at/],
    [{ ...MAIL, scheduled_at: '2026-03-15 11:00:00' }, /scheduled_at/],
    [{ ...MAIL, variants: [{ key: 'a', weight: 0 }] }, /weight/],
  ])('%j is rejected', async (body, message) => {
    const refused = await (await server.company()).marketing('POST', '/campaigns', body);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toMatch(message);
  });

  test('of another company does not exist', async () => {
    const id = await draft(await server.company());
    const other = await server.company();
    for (const [method, path] of [
      ['GET', `/campaigns/${id}`],
      ['POST', `/campaigns/send/${id}`],
      ['DELETE', `/campaigns/${id}`],
    ]) {
      expect((await other.marketing(method!, path!)).status).toBe(404);
    }
    const { list } = await listWith(other, 0);
    expect((await (await server.company()).marketing('POST', '/campaigns', { ...MAIL, list_id: list })).status).toBe(
      400,
    );
  });
});

describe('sending', () => {
  test('reaches every subscribed contact on the list once, and the counts agree', async () => {
    const shop = await server.company();
    const { list, contacts } = await listWith(shop, 6);
    await shop.marketing('POST', `/contacts/unsubscribe/${contacts[0]}`, {});
    await shop.marketing('POST', `/contacts/unsubscribe/${contacts[1]}`, { list_ids: [list] });
    const id = await draft(shop, { list_id: list });
    const sent = await shop.marketing('POST', `/campaigns/send/${id}`);
    expect(sent.body).toEqual({
      campaign_id: id,
      status: 'sending',
      scheduled_at: null,
      recipients: 4,
      recipients_exact: true,
    });
    expect((await shop.marketing('POST', `/campaigns/send/${id}`)).body.recipients).toBe(4);
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body.counts).toMatchObject({ queued: 4, sent: 0 });
    await settle();
    const done = await shop.marketing('GET', `/campaigns/${id}`);
    expect(done.body).toMatchObject({
      status: 'sent',
      recipients: 4,
      counts: { ...EMPTY_COUNTS, sent: 4, delivered: 4 },
    });
    const { body: box } = await shop.marketing('GET', '/mailbox');
    expect(box.pagination.total).toBe(4);
    const refused = await shop.marketing('POST', `/campaigns/send/${id}`);
    expect([refused.status, refused.body.message]).toEqual([400, 'A campaign that is sent cannot be sent']);
    const { body: listed } = await shop.marketing('GET', `/campaigns/${id}/recipients?state=sent&per_page=3`);
    expect([listed.recipients.length, listed.pagination.total]).toEqual([3, 4]);
    expect((await shop.marketing('GET', `/campaigns/${id}/recipients?state=failed`)).body.pagination.total).toBe(0);
    expect((await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok)).toEqual([]);
  });

  test('an incomplete campaign is rejected with the missing fields', async () => {
    const shop = await server.company();
    const { body } = await shop.marketing('POST', '/campaigns', { name: 'x', type: 'email' });
    const refused = await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
    expect(refused.status).toBe(400);
    expect(refused.body.details.map((one: { field: string }) => one.field)).toEqual(['list_id', 'subject', 'content']);
  });

  test('the audience is fixed when the campaign starts', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 2);
    const id = await draft(shop, { list_id: list });
    await shop.marketing('POST', `/campaigns/send/${id}`);
    server.clock.advance(1_000);
    const late = await contactOf(server, shop);
    await shop.marketing('POST', `/lists/${list}/contacts`, { contact_ids: [late] });
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      recipients: 2,
      counts: { sent: 2 },
    });
  });

  test('a contact that unsubscribes before the hand-over gets nothing', async () => {
    const shop = await server.company();
    const { list, contacts } = await listWith(shop, 3);
    const id = await draft(shop, { list_id: list });
    await shop.marketing('POST', `/campaigns/send/${id}`);
    await shop.marketing('POST', `/contacts/unsubscribe/${contacts[0]}`, {});
    await shop.marketing('POST', `/contacts/unsubscribe/${contacts[1]}`, { list_ids: [list] });
    await settle();
    const { body } = await shop.marketing('GET', `/campaigns/${id}/report`);
    expect(body.counts).toMatchObject({ sent: 1, skipped: 2 });
    expect(body.reasons).toEqual([
      { status: 'skipped', reason: 'not_on_list', count: 1 },
      { status: 'skipped', reason: 'unsubscribed', count: 1 },
    ]);
  });

  test('goes to the segment as it is at the start', async () => {
    const shop = await server.company();
    await contactOf(server, shop, { first_name: 'Ann' });
    await contactOf(server, shop, { first_name: 'Bob' });
    const conditions = {
      operator: 'and',
      rules: [{ field: 'contact.first_name', comparison: 'equals', value: 'Ann' }],
    };
    const { body: segment } = await shop.marketing('POST', '/segments', { name: 'Ann', conditions });
    const id = await draft(shop, { segment_id: segment.segment_id });
    expect((await shop.marketing('POST', `/campaigns/send/${id}`)).body.recipients).toBe(1);
    await settle();
    expect((await shop.marketing('GET', '/mailbox')).body.messages).toMatchObject([{ subject: 'Hello Ann' }]);
  });

  test('an audience of several chunks is written once, by any number of workers', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 0);
    await server.rows(
      `with made as (
         insert into contacts (company_id, email, search, created_at, updated_at)
         select $1, 'many' || i || '@example.net', '', $3, $3 from generate_series(1, 11000) i returning id
       )
       insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
       select $1, $2, id, 'active', $3, $3 from made`,
      [shop.company_id, list, server.clock.now()],
    );
    const id = await draft(shop, { list_id: list });
    expect((await shop.marketing('POST', `/campaigns/send/${id}`)).body.recipients).toBe(11_000);
    await shop.marketing('POST', `/campaigns/pause/${id}`);
    const campaigns = worker('campaigns');
    while ((await campaigns.runOnce()) > 0);
    const paused = await shop.marketing('GET', `/campaigns/${id}`);
    expect(paused.body).toMatchObject({ status: 'paused', recipients: 11_000, counts: { queued: 11_000 } });
    expect((await shop.marketing('POST', `/campaigns/cancel/${id}`)).body.status).toBe('cancelled');
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body.counts).toMatchObject({ queued: 0, skipped: 11_000 });
  });
});

describe('the schedule', () => {
  test('a complete campaign with a future time starts at that time', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 1);
    const at = new Date(server.clock.now().getTime() + 3_600_000);
    const scheduled_at = at.toISOString();
    const { body } = await shop.marketing('POST', '/campaigns', { ...MAIL, list_id: list, scheduled_at });
    expect(body.status).toBe('scheduled');
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${body.campaign_id}`)).body.status).toBe('scheduled');
    expect(await worker('campaigns').nextDue(server.clock.now())).toEqual(at);
    // A campaign that is paused and resumed before its time is scheduled again, also if the requests are repeated.
    for (const [action, status] of [
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'scheduled'],
      ['resume', 'scheduled'],
    ] as const) {
      const moved = await shop.marketing('POST', `/campaigns/${action}/${body.campaign_id}`);
      expect([moved.status, moved.body.status]).toEqual([200, status]);
    }
    server.clock.advance(3_600_000);
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${body.campaign_id}`)).body).toMatchObject({
      status: 'sent',
      recipients: 1,
    });
  });

  test('a time with a timezone is local time', async () => {
    const shop = await server.company();
    const when = { scheduled_at: '2027-07-01 09:00:00', timezone: 'Europe/Berlin' };
    const { list } = await listWith(shop, 0);
    const id = await draft(shop, { list_id: list });
    const { body } = await shop.marketing('POST', `/campaigns/send/${id}`, when);
    expect(body).toMatchObject({ status: 'scheduled', scheduled_at: '2027-07-01 07:00:00' });
  });

  test('is paused if it missed its time by more than twelve hours', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 1);
    const id = await draft(shop, { list_id: list });
    const scheduled_at = new Date(server.clock.now().getTime() + 60_000).toISOString();
    await shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at });
    server.clock.advance(13 * 3_600_000);
    await settle();
    const missed = await shop.marketing('GET', `/campaigns/${id}`);
    expect(missed.body).toMatchObject({ status: 'paused', reason: 'missed_schedule', counts: { queued: 0 } });
    await shop.marketing('POST', `/campaigns/resume/${id}`);
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({ status: 'sent', recipients: 1 });
  });

  test('can be rescheduled while paused before its start, but not after', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 1);
    const id = await draft(shop, { list_id: list });
    const inHours = (hours: number) => ({
      scheduled_at: new Date(server.clock.now().getTime() + hours * 3_600_000).toISOString(),
    });
    const send = (body: object) => shop.marketing('POST', `/campaigns/send/${id}`, body);
    await send(inHours(1));
    server.clock.advance(14 * 3_600_000);
    await settle();
    expect((await send(inHours(24))).body).toMatchObject({ status: 'scheduled' });
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({ status: 'scheduled', reason: null });
    await send({});
    await shop.marketing('POST', `/campaigns/pause/${id}`);
    expect((await send(inHours(24))).status).toBe(400);
  });

  test('fails if its list or segment is deleted, and delays no other campaign', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 1);
    const { list: kept } = await listWith(shop, 1);
    const rule = { field: 'contact.first_name', comparison: 'equals', value: 'Ann' };
    const conditions = { operator: 'and', rules: [rule] };
    const { body: segment } = await shop.marketing('POST', '/segments', { name: 'Ann', conditions });
    const { segment_id } = segment;
    const { body: broken } = await shop.marketing('POST', '/segments', { name: 'Broken', conditions });
    const scheduled_at = new Date(server.clock.now().getTime() + 60_000).toISOString();
    const ids: number[] = [];
    for (const whom of [{ list_id: list }, { segment_id }, { segment_id: broken.segment_id }, { list_id: kept }]) {
      ids.push(await draft(shop, { ...whom, scheduled_at }));
    }
    await shop.marketing('DELETE', `/lists/${list}`);
    await shop.marketing('DELETE', `/segments/${segment_id}`);
    await server.rows("update segments set conditions = '{}' where id = $1", [broken.segment_id]);
    server.clock.advance(60_000);
    // If all the work of a run fails, the run throws; it is retried later.
    await expect(settle()).rejects.toThrow();
    await worker('sender').runOnce();
    await expect(settle()).rejects.toThrow();
    const found = await Promise.all(ids.map((id) => shop.marketing('GET', `/campaigns/${id}`)));
    expect(found.map(({ body }) => [body.status, body.reason, body.recipients])).toEqual([
      ['failed', 'list_deleted', 0],
      ['failed', 'segment_deleted', 0],
      ['scheduled', null, 0],
      ['sent', null, 1],
    ]);
    await shop.marketing('POST', `/campaigns/cancel/${ids[2]}`);
  });

  test('a time more than five minutes ago is rejected, a later one means now', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 1);
    const id = await draft(shop, { list_id: list });
    const minutesAgo = (n: number) => new Date(server.clock.now().getTime() - n * 60_000).toISOString();
    expect((await shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at: minutesAgo(6) })).status).toBe(400);
    const sent = await shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at: minutesAgo(4) });
    expect(sent.body.status).toBe('sending');
  });
});

describe('pause, cancel, retry', () => {
  test('nothing is sent while it is paused; resuming sends the rest', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 3);
    const id = await draft(shop, { list_id: list });
    await shop.marketing('POST', `/campaigns/send/${id}`);
    expect((await shop.marketing('POST', `/campaigns/pause/${id}`)).body.status).toBe('paused');
    expect((await shop.marketing('POST', `/campaigns/pause/${id}`)).status).toBe(200);
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'paused',
      counts: { queued: 3 },
    });
    await shop.marketing('POST', `/campaigns/resume/${id}`);
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'sent',
      counts: { sent: 3 },
    });
    expect((await shop.marketing('POST', `/campaigns/pause/${id}`)).status).toBe(400);
  });

  test('deleted right after a cancellation it leaves no queued message, and its failed ones cannot be retried', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 3);
    const id = await draft(shop, { list_id: list });
    await shop.marketing('POST', `/campaigns/send/${id}`);
    await shop.marketing('POST', `/campaigns/cancel/${id}`);
    const [first] = await server.rows<{ id: number }>('select id::int from messages where campaign_id = $1', [id]);
    const claim =
      "insert into message_claims (company_id, message_id, lease_until) values ($1, $2, now() + interval '1 minute')";
    await server.rows(claim, [shop.company_id, first!.id]);
    expect((await shop.marketing('DELETE', `/campaigns/${id}`)).status).toBe(400);
    await server.rows("update messages set status = 'failed' where id = $1", [first!.id]);
    await server.rows('delete from message_claims where message_id = $1', [first!.id]);
    expect((await shop.marketing('DELETE', `/campaigns/${id}`)).body).toEqual({ campaign_id: id, deleted: true });
    expect((await shop.marketing('POST', `/messages/retry/${first!.id}`)).status).toBe(400);
    const { body } = await shop.marketing('GET', `/messages?campaign_id=${id}`);
    expect(body.messages.map(({ status }: { status: string }) => status).sort()).toEqual([
      'failed',
      'skipped',
      'skipped',
    ]);
  });

  test('failed messages are sent again on request', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 2);
    const { body: template } = await shop.marketing('POST', '/templates', { name: 'T', subject: 'x', content: 'ok' });
    const id = await draft(shop, { list_id: list, content: null, template_id: template.template_id });
    await server.rows("update templates set content = '{% broken' where id = $1", [template.template_id]);
    await shop.marketing('POST', `/campaigns/send/${id}`);
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'sent',
      counts: { failed: 2 },
    });
    await shop.marketing('PATCH', `/templates/${template.template_id}`, { content: 'fixed' });
    expect((await shop.marketing('POST', `/campaigns/retry/${id}`)).body).toEqual({
      campaign_id: id,
      status: 'sending',
      requeued: 2,
      remaining: 0,
    });
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'sent',
      counts: { failed: 0, sent: 2 },
    });
  });

  test('only its name can be changed while it is being sent, and it cannot be deleted', async () => {
    const shop = await server.company();
    const { list } = await listWith(shop, 1);
    const id = await draft(shop, { list_id: list });
    await shop.marketing('POST', `/campaigns/send/${id}`);
    expect((await shop.marketing('PATCH', `/campaigns/${id}`, { subject: 'x' })).status).toBe(400);
    expect((await shop.marketing('PATCH', `/campaigns/${id}`, { name: 'Renamed' })).body.name).toBe('Renamed');
    expect((await shop.marketing('DELETE', `/campaigns/${id}`)).status).toBe(400);
  });
});

test('variants share the recipients by weight, and each has its own counts of clicks and orders', async () => {
  const shop = await server.company();
  const { list } = await listWith(shop, 60);
  const variants = [
    { key: 'a', weight: 1, subject: 'A {{ campaign.variant }}' },
    { key: 'b', weight: 1, content: '<p>B <a href="https://shop.example/b">b</a></p>' },
  ];
  const id = await draft(shop, { list_id: list, variants });
  await shop.marketing('POST', `/campaigns/send/${id}`);
  await settle();
  const { body: report } = await shop.marketing('GET', `/campaigns/${id}/report`);
  const [a, b] = report.variants.map((one: { counts: { sent: number } }) => one.counts.sent);
  expect(a + b).toBe(60);
  expect(Math.min(a, b)).toBeGreaterThan(10);

  const [message] = await server.rows<{ id: number; email: string }>(
    `select m.id::int, c.email from messages m join contacts c on c.id = m.contact_id
     where m.campaign_id = $1 and m.variant = 'b' order by m.id limit 1`,
    [id],
  );
  const { body: mail } = await shop.marketing('GET', `/mailbox/${message!.id}`);
  expect(mail.subject).toBe('Hello Ann');
  const click = mail.html.match(/http[^"]+\/t\/c\/[^"]+/)[0].replace(server.origin, '');
  await server.request('GET', click);
  await server.request('GET', click);
  const event_data = { order_id: 'v-1', email: message!.email, total: 20.5 };
  await shop.marketing('POST', '/events', { event_type: 'order_placed', event_data });
  const { body: after } = await shop.marketing('GET', `/campaigns/${id}/report`);
  expect(after.counts).toMatchObject({ opened: 1, clicked: 1, converted: 1, revenue: 20.5 });
  expect(after.variants[0].counts).toMatchObject({ clicked: 0, revenue: 0 });
  expect(after.variants[1].counts).toMatchObject({ clicked: 1, revenue: 20.5 });
  expect(after.links).toEqual([{ url: 'https://shop.example/b', clicks: 1 }]);

  // The next day a mail service opens all mails automatically: these opens are counted separately, and no order counts for them.
  const today = server.clock.now().toISOString().slice(0, 10);
  server.clock.advance(86_400_000);
  const machine = { headers: { 'user-agent': 'Mozilla/5.0' } };
  const { body: other } = await shop.marketing('GET', `/mailbox/${message!.id + 1}`);
  const pixel = other.html.match(/http[^"]+\/t\/o\/[^"]+/)[0].replace(server.origin, '');
  await server.request('GET', pixel, machine);
  await shop.marketing('POST', '/events', {
    event_type: 'order_placed',
    event_data: { order_id: 'v-2', email: other.to, total: 1 },
  });
  // Of what is given back of the order, what was paid too much does not count, and what returned counts no more.
  const told = async (topic: string, amounts: object): Promise<void> => {
    await server.rows('insert into outbox (company_id, topic, payload, occurred_at) values ($1, $2, $3, $4)', [
      shop.company_id,
      topic,
      JSON.stringify({ order_id: 'v-1', email: message!.email, ...amounts }),
      server.clock.now(),
    ]);
    while ((await server.app.workers.find(({ name }) => name === 'outbox')!.runOnce()) > 0);
  };
  await told('order_refunded', { amount: 15, net_amount: 12.5 });
  await told('payment_disputed', { amount: 8, net_amount: 8 });
  await told('order_refund_reversed', { amount: 8, net_amount: 8 });
  const { body: next } = await shop.marketing('GET', `/campaigns/${id}/report`);
  expect(next.counts).toMatchObject({
    opened: 1,
    machine_opened: 1,
    clicked: 1,
    converted: 1,
    revenue: 20.5,
    refunded: 12.5,
    net: 8,
  });
  expect(next.variants[0].counts).toMatchObject({ refunded: 0, net: 0 });
  expect(next.variants[1].counts).toMatchObject({ refunded: 12.5, net: 8 });
  expect((await checkInvariants(server.app.db, messagingInvariants)).filter(({ ok }) => !ok)).toEqual([]);
  const nothing = { bounced: 0, complained: 0, unsubscribed: 0 };
  expect(next.days).toEqual([
    {
      date: today,
      sent: 60,
      opened: 1,
      machine_opened: 0,
      clicked: 1,
      ...nothing,
      converted: 1,
      revenue: 20.5,
      refunded: 12.5,
      net: 8,
    },
    {
      date: server.clock.now().toISOString().slice(0, 10),
      sent: 0,
      opened: 0,
      machine_opened: 1,
      clicked: 0,
      ...nothing,
      converted: 0,
      revenue: 0,
      refunded: 0,
      net: 0,
    },
  ]);
});

test('a test goes to the given addresses, rendered for a contact, and a preview shows the same', async () => {
  const shop = await server.company();
  const contact = await contactOf(server, shop, { first_name: 'Zoe' });
  const id = await draft(shop);
  const sent = await shop.marketing('POST', `/campaigns/test/${id}`, {
    recipients: ['Me@Shop.example'],
    contact_id: contact,
  });
  expect(sent.body).toEqual({ campaign_id: id, queued: 1 });
  await settle();
  const { body } = await shop.marketing('GET', '/mailbox?to=me@shop.example');
  expect(body.messages).toMatchObject([{ subject: 'Hello Zoe', contact_id: null }]);
  // A test message looks like the campaign, but its links unsubscribe nobody.
  const mail = (await shop.marketing('GET', `/mailbox/${body.messages[0].id}`)).body;
  const leave = /href="[^"]*(\/u\/[^"]+)">Unsubscribe/.exec(mail.html)![1]!;
  expect(mail.headers['List-Unsubscribe']).toContain(leave);
  expect((await server.request('POST', leave, { raw: 'x' })).status).toBe(200);
  expect((await shop.marketing('GET', `/contacts/${contact}`)).body.status).toBe('subscribed');
  expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toMatchObject({
    status: 'draft',
    recipients: 0,
    counts: EMPTY_COUNTS,
  });
  const preview = await shop.marketing('POST', `/campaigns/preview/${id}`, { contact_id: contact });
  expect(preview.body).toMatchObject({ subject: 'Hello Zoe' });
  expect(preview.body.html).toContain('Spring');
  expect((await shop.marketing('POST', `/campaigns/test/${id}`, { recipients: ['nobody'] })).status).toBe(400);
  const recipients = ['me@shop.example'];
  for (const [action, body, field] of [
    ['preview', { contact_id: 999_999 }, 'contact_id'],
    ['preview', { variant: 'z' }, 'variant'],
    ['test', { recipients, contact_id: 999_999 }, 'contact_id'],
    ['test', { recipients, variant: 'z' }, 'variant'],
  ] as const) {
    const refused = await shop.marketing('POST', `/campaigns/${action}/${id}`, body);
    expect([refused.status, refused.body.details]).toMatchObject([400, [{ field }]]);
  }
  await shop.marketing('DELETE', `/contacts/${contact}`);
  expect((await shop.marketing('GET', '/mailbox?to=me@shop.example')).body.messages).toEqual([]);
});
