import { expect, test } from 'vitest';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
const MAIL = { name: 'Spring', type: 'email', subject: 'Hi', content: '<p>Hi</p>' };

const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

/** A sent campaign to a list of that many. */
async function sent(shop: TestCompany, size: number, fields: object = {}) {
  const people: number[] = [];
  for (let n = 0; n < size; n++) people.push(await contactOf(server, shop));
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
  await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids: people });
  const { campaign_id: id } = (await shop.marketing('POST', '/campaigns', { ...MAIL, list_id, ...fields })).body;
  await shop.marketing('POST', `/campaigns/send/${id}`);
  await settle();
  return { id, list_id, people };
}

const happened = (shop: TestCompany, campaignId: number, contactId: number, type: string) =>
  server.rows(
    `insert into message_activity (company_id, message_id, type, contact_id, created_at)
     select company_id, id, $4, contact_id, $5 from messages where company_id = $1 and campaign_id = $2 and contact_id = $3`,
    [shop.company_id, campaignId, contactId, type, server.clock.now()],
  );
const writtenTo = async (id: number): Promise<number[]> =>
  (
    await server.rows<{ id: number }>(
      `select contact_id::int as id from messages where campaign_id = $1 and status = 'sent' order by contact_id`,
      [id],
    )
  ).map((row) => row.id);

test('a draft goes to those who were sent the first and have not opened it when the draft is sent', async () => {
  const shop = await server.company();
  const { id, list_id, people } = await sent(shop, 8);
  const [opened, machine, bounced, complained, unsubscribed, left, late, silent] = people as number[];
  await happened(shop, id, opened!, 'opened');
  await happened(shop, id, machine!, 'machine_opened');
  await happened(shop, id, bounced!, 'bounced');
  await happened(shop, id, complained!, 'complained');
  const made = await shop.marketing('POST', `/campaigns/resend/${id}`, { subject: 'Once more' });
  expect([made.status, made.body]).toEqual([
    201,
    expect.objectContaining({
      name: 'Resend of Spring',
      status: 'draft',
      subject: 'Once more',
      content: MAIL.content,
      list_id: null,
      audiences: [{ unopened_campaign_id: id }],
    }),
  ]);
  // After the draft: it is the moment of sending that counts.
  await happened(shop, id, late!, 'opened');
  await shop.marketing('POST', `/contacts/unsubscribe/${unsubscribed}`);
  await shop.marketing('POST', `/lists/${list_id}/contacts/remove`, { contact_ids: [left] });
  await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids: [await contactOf(server, shop)] });
  const again = made.body.campaign_id;
  expect((await shop.marketing('GET', `/campaigns/${again}/check`)).body).toMatchObject({ ready: true, recipients: 2 });
  expect((await shop.marketing('POST', `/campaigns/send/${again}`)).body).toMatchObject({ recipients: 2 });
  await settle();
  expect(await writtenTo(again)).toEqual([machine, silent]);
});

test('it keeps the list of the first: who leaves it before the hand-over is skipped', async () => {
  const shop = await server.company();
  const { id, list_id, people } = await sent(shop, 2);
  const { campaign_id: again } = (await shop.marketing('POST', `/campaigns/resend/${id}`)).body;
  const { campaign_id: third } = (await shop.marketing('POST', `/campaigns/duplicate/${again}`)).body;
  for (const one of [again, third]) await shop.marketing('POST', `/campaigns/send/${one}`);
  await shop.marketing('POST', `/lists/${list_id}/contacts/remove`, { contact_ids: [people[0]] });
  await settle();
  expect([await writtenTo(again), await writtenTo(third)]).toEqual([[people[1]], [people[1]]]);
});

test('after an A/B test it has the content of the winner', async () => {
  const shop = await server.company();
  const variants = [
    { key: 'a', weight: 1, subject: 'A' },
    { key: 'b', weight: 1, subject: 'B' },
  ];
  const { id } = await sent(shop, 1, { variants });
  await server.rows(`update campaigns set winner = 'b' where company_id = $1 and id = $2`, [shop.company_id, id]);
  const { body } = await shop.marketing('POST', `/campaigns/resend/${id}`);
  expect(body).toMatchObject({ subject: 'B', variants: [] });
});

test('only of a sent e-mail campaign', async () => {
  const shop = await server.company();
  const { campaign_id: id } = (await shop.marketing('POST', '/campaigns', MAIL)).body;
  const { status, body } = await shop.marketing('POST', `/campaigns/resend/${id}`);
  expect([status, body.message]).toEqual([400, expect.stringMatching(/draft/)]);
  const { campaign_id: sms } = (await shop.marketing('POST', '/campaigns', { ...MAIL, type: 'sms', subject: null }))
    .body;
  await server.rows(`update campaigns set status = 'sent' where company_id = $1 and id = $2`, [shop.company_id, sms]);
  expect((await shop.marketing('POST', `/campaigns/resend/${sms}`)).status).toBe(400);
  expect((await shop.marketing('POST', '/campaigns/resend/999999')).status).toBe(404);
});
