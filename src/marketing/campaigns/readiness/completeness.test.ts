import { describe, expect, test } from 'vitest';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { testServer } from '../../../testing/harness.ts';

const server = testServer();

describe('a campaign', () => {
  test('is rejected without a subject, also if a template or variant lacks it', async () => {
    const shop = await server.company();
    const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
    const contact_ids = [await contactOf(server, shop)];
    await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids });
    const template = async (subject: string | null) =>
      (await shop.marketing('POST', '/templates', { name: 'T', subject, content: '<p>Hi</p>' })).body.template_id;
    const [bare, whole] = [await template(null), await template('Hello')];
    const send = async (fields: object) => {
      const made = await shop.marketing('POST', '/campaigns', { name: 'S', type: 'email', list_id, ...fields });
      const response = await shop.marketing('POST', `/campaigns/send/${made.body.campaign_id}`);
      return response.status === 200 ? 200 : response.body.details.map(({ field }: { field: string }) => field);
    };
    const variant = (fields: object) => ({ variants: [{ key: 'a', weight: 1, ...fields }] });
    expect(await send({ template_id: bare })).toEqual(['subject']);
    expect(await send({ template_id: bare, subject: '' })).toEqual(['subject']);
    expect(await send({ template_id: whole, ...variant({ template_id: bare }) })).toEqual(['subject']);
    expect(await send({ template_id: whole, ...variant({ content: '<p>Own</p>' }) })).toEqual(['subject']);
    expect(await send({ ...variant({ subject: 'Own' }) })).toEqual(['content']);
    expect(await send({ template_id: whole, subject: '' })).toBe(200);
    expect(await send({ template_id: bare, ...variant({ subject: 'Own' }) })).toBe(200);
    expect(await send({ template_id: bare, ...variant({ template_id: whole }) })).toBe(200);
    for (const name of ['campaigns', 'sender']) {
      await server.app.workers.find((worker) => worker.name === name)!.runOnce();
    }
    const { body } = await shop.marketing('GET', '/messages?status=sent');
    expect(body.pagination.total).toBe(3);
  });

  test.each(['nonsense', 'A\r\nBcc: x@evil.example <a@shop.example>', 'Shop <>', 'a@b.example, c@d.example'])(
    'from %j is refused when it is written',
    async (from) => {
      const shop = await server.company();
      const mail = { name: 'S', type: 'email' };
      const refused = await shop.marketing('POST', '/campaigns', { ...mail, from });
      expect([refused.status, refused.body.details]).toMatchObject([400, [{ field: 'from' }]]);
      const made = await shop.marketing('POST', '/campaigns', { ...mail, from: 'Shop <a@shop.example>' });
      expect(made.status).toBe(201);
      const changed = await shop.marketing('PATCH', `/campaigns/${made.body.campaign_id}`, { from });
      expect(changed.status).toBe(400);
    },
  );
});

test('a scheduled campaign stays complete: only its time can be removed', async () => {
  const shop = await server.company();
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  const { body: template } = await shop.marketing('POST', '/templates', { name: 'T', subject: 'T', content: 'x' });
  const whole = { subject: 'Hi', content: '<p>Hi</p>', list_id: list.list_id, scheduled_at: '2026-03-20 10:00:00' };
  const { body: made } = await shop.marketing('POST', '/campaigns', { name: 'C', type: 'email', ...whole });
  const patch = (fields: object) => shop.marketing('PATCH', `/campaigns/${made.campaign_id}`, fields);
  for (const [fields, named] of [
    [{ content: '' }, ['content']],
    [{ content: null, subject: null }, ['subject', 'content']],
    [{ list_id: null, scheduled_at: '2026-03-21 10:00:00' }, ['list_id']],
    [
      {
        variants: [
          { key: 'a', weight: 1 },
          { key: 'b', weight: 1 },
        ],
        content: null,
      },
      ['content'],
    ],
  ] as const) {
    const refused = await patch(fields);
    expect([refused.status, refused.body.details?.map((one: { field: string }) => one.field)]).toEqual([400, named]);
    expect(refused.body.message).toContain('scheduled');
  }
  const read = async () => (await shop.marketing('GET', `/campaigns/${made.campaign_id}`)).body;
  expect(await read()).toEqual(made);
  // A template with a subject also makes it complete.
  expect((await patch({ subject: null, content: null, template_id: template.template_id })).body).toMatchObject({
    status: 'scheduled',
    scheduled_at: whole.scheduled_at,
  });
  expect((await patch({ template_id: null, scheduled_at: null })).body).toMatchObject({
    status: 'draft',
    scheduled_at: null,
  });
  // A draft is scheduled only by setting its time.
  expect((await patch({ ...whole, content: null })).body.status).toBe('draft');
  expect((await patch({ content: '<p>Hi</p>' })).body.status).toBe('draft');
  expect((await patch({ scheduled_at: whole.scheduled_at })).body.status).toBe('scheduled');
});

test('a test of an incomplete campaign is rejected with the missing fields; it needs no list', async () => {
  const shop = await server.company();
  const { body: template } = await shop.marketing('POST', '/templates', { name: 'T', subject: null, content: 'x' });
  const tested = async (fields: object, variant?: string) => {
    const { body } = await shop.marketing('POST', '/campaigns', { name: 'C', type: 'email', ...fields });
    const to = { recipients: ['me@example.com'], variant };
    const response = await shop.marketing('POST', `/campaigns/test/${body.campaign_id}`, to);
    return response.status === 200
      ? response.body.queued
      : response.body.details.map((one: { field: string }) => one.field);
  };
  const variants = [
    { key: 'a', weight: 1, subject: 'A' },
    { key: 'off', weight: 0, content: 'Own' },
  ];
  expect(await tested({})).toEqual(['subject', 'content']);
  expect(await tested({ type: 'sms' })).toEqual(['content']);
  expect(await tested({ template_id: template.template_id })).toEqual(['subject']);
  expect(await tested({ content: 'x', variants })).toEqual(['subject']);
  expect(await tested({ subject: 'x', variants }, 'a')).toEqual(['content']);
  expect(await tested({ content: 'x', variants }, 'a')).toBe(1);
  expect(await tested({ subject: 'x', variants }, 'off')).toBe(1);
});

test('a campaign whose template lost its subject starts neither on schedule nor by resuming', async () => {
  const shop = await server.company();
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: [await contactOf(server, shop)] });
  const { body: template } = await shop.marketing('POST', '/templates', { name: 'T', subject: 'Hi', content: 'x' });
  const scheduled_at = new Date(server.clock.now().getTime() + 60_000).toISOString();
  const fields = { name: 'C', type: 'email', list_id: list.list_id, template_id: template.template_id, scheduled_at };
  const made = async () => (await shop.marketing('POST', '/campaigns', fields)).body.campaign_id;
  const [due, paused] = [await made(), await made()];
  await shop.marketing('POST', `/campaigns/pause/${paused}`);
  const subject = (text: string | null) =>
    shop.marketing('PATCH', `/templates/${template.template_id}`, { subject: text });
  expect((await subject(null)).status).toBe(200);
  server.clock.advance(60_000);
  await server.app.workers.find((worker) => worker.name === 'campaigns')!.runOnce();
  const read = async (id: number) => (await shop.marketing('GET', `/campaigns/${id}`)).body;
  expect(await read(due)).toMatchObject({ status: 'failed', reason: 'incomplete', recipients: 0 });
  const refused = await shop.marketing('POST', `/campaigns/resume/${paused}`);
  expect([refused.status, refused.body.details]).toMatchObject([400, [{ field: 'subject' }]]);
  await subject('Again');
  expect((await shop.marketing('POST', `/campaigns/resume/${paused}`)).body).toMatchObject({ status: 'sending' });
});
