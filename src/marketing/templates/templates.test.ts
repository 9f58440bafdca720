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
  const { warnings: _warnings, ...listed } = changed.body;
  expect(list).toEqual({ templates: [listed], pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 } });
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

test('a preview shows the message as the contact would get it, without unsafe content', async () => {
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
  expect(preview).toMatchObject({ subject: 'Tea', warnings: [expect.stringContaining('no unsubscribe link')] });
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

const DESIGN = {
  style: { font: 'Georgia', button: '#123456' },
  blocks: [
    { type: 'text', style: 'title', text: 'Hi {{ contact.first_name | default: "there" }}' },
    {
      type: 'columns',
      columns: [{ blocks: [{ type: 'button', text: 'Shop', url: 'https://shop.example' }] }, { blocks: [] }],
    },
    { type: 'footer', address: 'Mill Lane 2' },
  ],
};

test('a template made of blocks is compiled to MJML, kept as blocks and sent as any other', async () => {
  const shop = await server.company();
  const made = await shop.marketing('POST', '/templates', { name: 'Blocks', subject: 'S', design: DESIGN });
  expect(made.status).toBe(201);
  expect(made.body.design).toEqual(DESIGN);
  expect(made.body.content).toMatch(/^<mjml>.*mj-button/s);
  const contact = await contactOf(server, shop, { first_name: 'Ann' });
  const path = `/templates/preview/${made.body.template_id}`;
  const { body: preview } = await shop.marketing('POST', path, { contact_id: contact });
  expect(preview).toMatchObject({ content: made.body.content, warnings: [] });
  expect(preview.text).toMatch(/Hi Ann[\s\S]*Mill Lane 2/i);
  const { body: unsaved } = await shop.marketing('POST', '/templates/preview', { design: DESIGN });
  expect(unsaved.text).toMatch(/Hi there/i);
});

test('setting content removes the design, setting a design regenerates the content', async () => {
  const shop = await server.company();
  const { body } = await shop.marketing('POST', '/templates', { name: 'B', subject: 'S', design: DESIGN });
  const path = `/templates/${body.template_id}`;
  const renamed = await shop.marketing('PATCH', path, { name: 'C' });
  expect(renamed.body).toMatchObject({ name: 'C', design: DESIGN, content: body.content });
  const kept = await shop.marketing('PATCH', path, { design: null });
  expect(kept.body).toMatchObject({ design: null, content: body.content });
  const again = await shop.marketing('PATCH', path, { design: { blocks: [{ type: 'spacer' }] } });
  expect(again.body.content).toContain('mj-spacer');
  const written = await shop.marketing('PATCH', path, { content: '<p>x</p>' });
  expect(written.body).toMatchObject({ design: null, content: '<p>x</p>' });
});

test.each([
  [{}, 'content', /required/],
  [{ content: 'x', design: DESIGN }, 'content', /one of them/],
  [{ design: DESIGN, channel: 'sms' }, 'design', /SMS/],
  [{ design: { blocks: [{ type: 'marquee' }] } }, 'design.blocks.0.type', /one of/],
  [{ design: { blocks: [{ type: 'text', text: '{% if a %}' }] } }, 'design.blocks.0.text', /if/],
  [
    { design: { blocks: [{ type: 'columns', columns: [{ blocks: [{ type: 'button', url: '{{ a | evil }}' }] }] }] } },
    'design.blocks.0.columns.0.blocks.0.url',
    /evil/,
  ],
  [
    {
      design: {
        blocks: Array(100).fill({ type: 'columns', columns: Array(3).fill({ blocks: [{ type: 'spacer' }] }) }),
      },
    },
    'design',
    /200/,
  ],
  [{ design: { blocks: Array(11).fill({ type: 'text', text: 'x'.repeat(20_000) }) } }, 'design', /200000/],
])('a template without a usable content is refused: %#', async (input, field, message) => {
  const shop = await server.company();
  const refused = await shop.marketing('POST', '/templates', { name: 'x', ...input });
  expect(refused.status).toBe(400);
  expect(refused.body.details[0]).toMatchObject({ field, message: expect.stringMatching(message) });
});

test('a preview and a template that is written name misspelt variables and what else the writer should look at', async () => {
  const shop = await server.company();
  await contactOf(server, shop, { first_name: 'Ann', properties: { tea: 'green' } });
  const content =
    '<p>Hi {{ contact.firstname }}, {{ contact.properties.tea }}! <a href="">Buy</a> {{ unsubscribe_url }}</p>';
  const made = await shop.marketing('POST', '/templates', { name: 'W', subject: '{{ contact.nickname }}', content });
  const warnings = [
    'subject: there is no variable contact.nickname',
    'content: there is no variable contact.firstname; did you mean contact.first_name?',
    'content: a link leads nowhere',
  ];
  expect(made.body.warnings).toEqual(warnings);
  const { body: preview } = await shop.marketing('POST', '/templates/preview', { content });
  expect(preview.warnings).toEqual(warnings.slice(1));
  expect(preview.findings[0]).toEqual({
    code: 'unknown_variable',
    field: 'content',
    detail: 'contact.firstname',
    suggestion: 'contact.first_name',
  });
  const { body: names } = await shop.marketing('GET', '/templates/variables');
  expect(names.variables).toEqual(expect.arrayContaining(['contact.properties.tea', 'contact.first_name']));
});

test('a test of a template uses the values of a chosen contact, and reaches only the tester', async () => {
  const shop = await server.company();
  const contact = await contactOf(server, shop, { first_name: 'Ann' });
  const { body } = await shop.marketing('POST', '/templates', { name: 'T', subject: 'Hi', design: DESIGN });
  const path = `/templates/test/${body.template_id}`;
  const refused = await shop.marketing('POST', path, { recipients: ['nobody'] });
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('e-mail address') } });
  expect((await shop.marketing('POST', path, { recipients: ['me@example.com'], contact_id: 999 })).status).toBe(400);
  const sent = await shop.marketing('POST', path, { recipients: ['me@example.com'], contact_id: contact });
  expect(sent.body).toEqual({ template_id: body.template_id, queued: 1 });
  const sender = server.app.workers.find((one) => one.name === 'sender')!;
  while ((await sender.runOnce()) > 0);
  const { body: box } = await shop.marketing('GET', '/mailbox');
  expect(box.messages).toMatchObject([{ to: 'me@example.com', subject: 'Hi' }]);
  const { body: mail } = await shop.marketing('GET', `/mailbox/${box.messages[0].id}`);
  expect(mail.html).toContain('Hi Ann');
  expect(mail.html).toContain('/u/');
});
