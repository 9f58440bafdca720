import { expect, test } from 'vitest';
import { contactOf, flowMessages } from '../../messaging/testing/sending.ts';
import { testServer } from '../../testing/harness.ts';

const server = testServer();
const MJML =
  '<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ contact.first_name }}</mj-text></mj-column></mj-section></mj-body></mjml>';

test('a template is created, read, updated, listed and deleted', async () => {
  const shop = await server.company();
  const made = await shop.marketing('POST', '/templates', { name: ' Welcome ', subject: 'Hi', content: '<p>Hi</p>' });
  expect(made.status).toBe(201);
  const { template_id: id } = made.body;
  expect(made.body).toMatchObject({
    name: 'Welcome',
    channel: 'email',
    subject: 'Hi',
    preview_text: null,
    content: '<p>Hi</p>',
  });
  server.clock.advance(1_000);
  const changed = await shop.marketing('PATCH', `/templates/${id}`, { content: '<p>Ho</p>', preview_text: 'x' });
  expect(changed.body).toMatchObject({ template_id: id, subject: 'Hi', content: '<p>Ho</p>', preview_text: 'x' });
  expect(changed.body.updated_at).not.toBe(changed.body.created_at);
  await shop.marketing('POST', '/templates', { name: 'Text', channel: 'sms', content: 'Hi' });
  const { body: list } = await shop.marketing('GET', '/templates?channel=email');
  expect(list).toEqual({ templates: [changed.body], pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 } });
  expect((await shop.marketing('DELETE', `/templates/${id}`)).body).toEqual({ template_id: id, deleted: true });
  expect((await shop.marketing('GET', `/templates/${id}`)).status).toBe(404);
});

test.each([
  [{ name: 'x', content: '{% if a %}' }, /content/],
  [{ name: 'x', content: 'a\n{{ a | evil }}' }, /line 2/],
  [{ name: 'x', content: '<mjml><mj-head></mj-head></mjml>' }, /content/],
  [{ name: 'x', content: 'x', subject: '{{' }, /subject/],
  [{ name: 'x', content: 'x', channel: 'sms', subject: 'no' }, /subject/],
  [{ name: '', content: 'x' }, /name/],
])('%j is rejected with the error', async (body, message) => {
  const shop = await server.company();
  const refused = await shop.marketing('POST', '/templates', body);
  expect(refused.status).toBe(400);
  expect(refused.body.message).toMatch(message);
});

test('a preview shows the contact what they would get, without what could do harm', async () => {
  const shop = await server.company({ name: 'Tea' });
  const contact = await contactOf(server, shop, { first_name: 'Ann & Bob' });
  const { body: template } = await shop.marketing('POST', '/templates', {
    name: 'M',
    subject: '{{ company.name }}',
    content: MJML,
  });
  const { body: preview } = await shop.marketing('POST', `/templates/preview/${template.template_id}`, {
    contact_id: contact,
  });
  expect(preview).toMatchObject({ subject: 'Tea', warnings: [] });
  expect(preview.html).toContain('Hi Ann &amp; Bob');
  expect(preview.text).toContain('Hi Ann & Bob');
  const unsaved = await shop.marketing('POST', '/templates/preview', {
    content: '<script>alert(1)</script><p onclick="x()">{{ event.order_id }}: {{ order.total }}</p>',
    event_data: { order_id: 'o-7', total: 12.5 },
  });
  expect(unsaved.body.html).toBe('<p>o-7: 12.5</p>');
  expect(unsaved.body.sms).toBeNull();
  expect(
    (await shop.marketing('POST', `/templates/preview/${template.template_id}`, { contact_id: 999_999 })).status,
  ).toBe(400);
});

test.each([
  ['{{ company.name }}: 100 € off', { encoding: 'gsm7', segments: 1, units: 15 }],
  ['{{ company.name }}: ✓', { encoding: 'ucs2', segments: 1, units: 6 }],
  [`{{ company.name }} ${'x'.repeat(157)}`, { encoding: 'gsm7', segments: 2, units: 161 }],
])('a preview of the SMS %s shows its segments', async (content, sms) => {
  const shop = await server.company({ name: 'Tea' });
  const { body } = await shop.marketing('POST', '/templates/preview', { channel: 'sms', content });
  expect(body).toMatchObject({ html: null, sms });
});

test('a flow step sends the current version of its template, which cannot be deleted meanwhile', async () => {
  const shop = await server.company();
  const { body: template } = await shop.marketing('POST', '/templates', { name: 'M', subject: 'Old', content: MJML });
  const step = { template_id: template.template_id };
  const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)], { step });
  await shop.marketing('PATCH', `/templates/${template.template_id}`, { subject: 'New' });
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  const { body: mail } = await shop.marketing('GET', `/mailbox/${ids[0]}`);
  expect(mail.subject).toBe('New');
  expect(mail.text).toContain('Hi Ann');
  expect((await shop.marketing('DELETE', `/templates/${template.template_id}`)).status).toBe(400);
});
