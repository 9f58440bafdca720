import { describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

interface Found {
  severity: string;
  code: string;
  field: string;
  variants: string[];
  detail: string | null;
}
const WHOLE = { name: 'S', type: 'email', subject: 'Hi', content: '<p>Hi <a href="{{ unsubscribe_url }}">Out</a></p>' };
const short = ({ severity, code, field }: Found): string => `${severity} ${code} ${field}`;

const campaignOf = async (shop: TestCompany, fields: object): Promise<number> => {
  const { status, body } = await shop.marketing('POST', '/campaigns', fields);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.campaign_id;
};
const checkOf = async (shop: TestCompany, id: number) => {
  const { status, body } = await shop.marketing('GET', `/campaigns/${id}/check`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as {
    ready: boolean;
    recipients: number | null;
    largest_before: number | null;
    needs_confirmation: boolean;
    findings: Found[];
  };
};

describe('with the built-in mailbox', () => {
  const server = testServer({ described: true, config: { mailbox: true } });
  const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;

  /** Creates a list with `n` subscribed contacts. */
  async function listOf(shop: TestCompany, n: number, prefix = 'p'): Promise<number> {
    const { list_id } = (await shop.marketing('POST', '/lists', { name: `${prefix} ${n}` })).body;
    await server.rows(
      `with made as (
         insert into contacts (company_id, email, search, created_at, updated_at)
         select $1, $5 || n || '@example.com', '', $3, $3 from generate_series(1, $4::int) n returning id
       )
       insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
       select $1, $2, id, 'active', $3, $3 from made`,
      [shop.company_id, list_id, server.clock.now(), n, prefix],
    );
    return list_id;
  }

  test('an empty draft lacks what sending requires; a whole one is ready, and says how many it goes to', async () => {
    const shop = await server.company();
    const empty = await checkOf(shop, await campaignOf(shop, { name: 'S', type: 'email' }));
    expect(empty).toMatchObject({ ready: false, recipients: null, largest_before: null, needs_confirmation: false });
    expect(empty.findings.map(short)).toEqual([
      'error required list_id',
      'error required subject',
      'error required content',
    ]);
    const id = await campaignOf(shop, { ...WHOLE, list_id: await listOf(shop, 3) });
    const before = (await shop.marketing('GET', `/campaigns/${id}`)).body;
    expect(await checkOf(shop, id)).toEqual({
      campaign_id: id,
      ready: true,
      recipients: 3,
      zones_known: null,
      batches: null,
      largest_before: null,
      needs_confirmation: false,
      findings: [],
      addresses: [{ address: '{{ unsubscribe_url }}', kind: 'link', unchecked: 'personal' }],
    });
    expect((await shop.marketing('GET', `/campaigns/${id}`)).body).toEqual(before);
    const nobody = await campaignOf(shop, { ...WHOLE, list_id: await listOf(shop, 0) });
    expect((await checkOf(shop, nobody)).findings.map(short)).toEqual(['warning no_recipients list_id']);
    expect((await shop.marketing('GET', '/campaigns/999/check')).status).toBe(404);
  });

  test('what previews find stands beside the variants in which it is', async () => {
    const shop = await server.company();
    const list_id = await listOf(shop, 1);
    const { template_id } = (
      await shop.marketing('POST', '/templates', { name: 'T', content: '<p>Hi</p><a href="">Shop</a>' })
    ).body;
    const variants = [
      { key: 'a', weight: 1, content: '<p>Hi {{ contact.firstname }} {{ unsubscribe_url }}</p>' },
      { key: 'b', weight: 1, template_id },
      { key: 'off', weight: 0, subject: 'LOUD LOUD LOUD' },
    ];
    const { ready, findings } = await checkOf(shop, await campaignOf(shop, { ...WHOLE, list_id, variants }));
    expect(ready).toBe(true);
    expect(findings).toMatchObject([
      { severity: 'warning', code: 'unknown_variable', detail: 'contact.firstname', variants: ['a'] },
      { code: 'empty_link', variants: ['b'] },
      { code: 'no_unsubscribe', variants: ['b'] },
    ]);
    const all = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1, subject: 'Other' },
    ];
    const plain = { ...WHOLE, content: '<p>Hi</p>', list_id, variants: all };
    expect((await checkOf(shop, await campaignOf(shop, plain))).findings).toMatchObject([
      { code: 'no_unsubscribe', field: 'content', variants: [] },
    ]);
  });

  test('an audience of more than three times as many as ever before is pointed out, and one of over 10,000', async () => {
    const shop = await server.company();
    const [small, triple, large] = [
      await listOf(shop, 40, 'a'),
      await listOf(shop, 120, 'b'),
      await listOf(shop, 121, 'c'),
    ];
    const first = await campaignOf(shop, { ...WHOLE, list_id: large });
    expect((await checkOf(shop, first)).findings).toEqual([]);
    const sent = await campaignOf(shop, { ...WHOLE, list_id: small });
    await shop.marketing('POST', `/campaigns/send/${sent}`);
    while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
    expect((await checkOf(shop, first)).findings).toMatchObject([
      { severity: 'warning', code: 'large_audience', field: 'list_id', detail: '40' },
    ]);
    const usual = await checkOf(shop, await campaignOf(shop, { ...WHOLE, list_id: triple }));
    expect(usual).toMatchObject({ largest_before: 40, recipients: 120, findings: [] });
    const done = await checkOf(shop, sent);
    expect(done).toMatchObject({ ready: false, recipients: 40, largest_before: null });
    expect(done.findings.map(short)).toEqual(['error wrong_status status']);
    const many = await campaignOf(shop, { ...WHOLE, list_id: await listOf(shop, 10_001, 'd') });
    expect(await checkOf(shop, many)).toMatchObject({ recipients: 10_001, needs_confirmation: true });
  });

  test('the check of a campaign by time zones says of how many recipients the zone is known', async () => {
    const shop = await server.company();
    const list_id = await listOf(shop, 3);
    const { contacts } = (await shop.marketing('GET', `/contacts?list_id=${list_id}`)).body;
    const set = (i: number, properties: object) =>
      shop.marketing('PATCH', `/contacts/${contacts[i].contact_id}`, { properties });
    await set(0, { timezone: 'Asia/Tokyo' });
    await set(1, { country: 'Germany' });
    await set(2, { country: 'United States', state: 'Tennessee' });
    const id = await campaignOf(shop, { ...WHOLE, list_id, send_in_contact_time_zone: true });
    expect(await checkOf(shop, id)).toMatchObject({ recipients: 3, zones_known: 2 });
  });

  test('empty coupon blocks, buttons without a link and a missing postal address are warned of', async () => {
    const shop = await server.company();
    const list_id = await listOf(shop, 1);
    const blocks = [
      { type: 'coupon' },
      { type: 'button', text: 'Shop now' },
      { type: 'columns', columns: [{ blocks: [{ type: 'button', text: 'Fine', url: 'https://shop.example' }] }] },
    ];
    const footer = { type: 'footer', text: 'Bye' };
    const templateOf = async (...all: object[]) => {
      const { status, body } = await shop.marketing('POST', '/templates', {
        name: 'T',
        subject: 'S',
        design: { blocks: all },
      });
      expect(status, JSON.stringify(body)).toBe(201);
      return body.template_id;
    };
    const found = async (fields: object) => {
      const { content, ...rest } = WHOLE;
      const { findings } = await checkOf(shop, await campaignOf(shop, { ...rest, list_id, ...fields }));
      return findings.filter(({ severity }) => severity === 'warning').map(({ code, detail }) => [code, detail]);
    };
    expect(await found({ template_id: await templateOf(...blocks, footer) })).toEqual([
      ['empty_coupon', null],
      ['button_without_link', 'Shop now'],
      ['no_postal_address', null],
    ]);
    const whole = await templateOf(blocks[2]!, { ...footer, address: 'Mill Lane 2' });
    expect(await found({ template_id: whole })).toEqual([]);
    // What is no design has the address of the brand kit, if there is one.
    expect(await found({ content: WHOLE.content })).toEqual([]);
    await shop.marketing('PATCH', '/brand-kit', { address: 'Tea & Co.\nMill Lane 2' });
    expect(await found({ content: WHOLE.content })).toEqual([['no_postal_address', null]]);
    expect(await found({ content: `${WHOLE.content}<p>Tea &amp; Co., Mill Lane 2</p>` })).toEqual([]);
    const mjml = `<mjml><mj-body><mj-section><mj-column><mj-button>Go</mj-button><mj-text>Tea &amp; Co. {{ unsubscribe_url }}</mj-text></mj-column></mj-section></mj-body></mjml>`;
    expect(await found({ content: mjml })).toEqual([['button_without_link', null]]);
  });

  test('a list, segment or coupon that is gone is an error, and so is the pause of marketing e-mail', async () => {
    const shop = await server.company();
    const list_id = await listOf(shop, 1);
    const onList = await campaignOf(shop, { ...WHOLE, subject: '{{ coupon.NONE }}', list_id });
    await shop.marketing('DELETE', `/lists/${list_id}`);
    const { ready, recipients, findings } = await checkOf(shop, onList);
    expect([ready, recipients]).toEqual([false, null]);
    expect(findings.filter(({ severity }) => severity === 'error').map(short)).toEqual([
      'error unknown_coupon content',
      'error list_deleted list_id',
    ]);
    await server.rows(
      `insert into marketing_pauses (company_id, paused_at, reason) values ($1, $2, 'complaint_rate')`,
      [shop.company_id, server.clock.now()],
    );
    const paused = await campaignOf(shop, { ...WHOLE, list_id: await listOf(shop, 1, 'q') });
    expect((await checkOf(shop, paused)).findings.map(short)).toEqual(['error complaint_rate settings']);
    expect((await shop.marketing('POST', `/campaigns/send/${paused}`)).status).toBe(400);
  });

  test('a time that has passed refuses the send, and so does the check that is told of it', async () => {
    const shop = await server.company();
    const id = await campaignOf(shop, { ...WHOLE, list_id: await listOf(shop, 2) });
    const at = (offset: number) => new Date(server.clock.now().getTime() + offset).toISOString();
    const foundAt = async (time: string) => {
      const { body } = await shop.marketing('GET', `/campaigns/${id}/check?scheduled_at=${encodeURIComponent(time)}`);
      return [body.ready, body.findings.map(short)];
    };
    expect(await foundAt(at(-3_600_000))).toEqual([false, ['error time_past scheduled_at']]);
    // As for the send, a few minutes ago means now.
    expect(await foundAt(at(-60_000))).toEqual([true, []]);
    expect(await foundAt(at(3_600_000))).toEqual([true, []]);
    expect((await shop.marketing('GET', `/campaigns/${id}/check?scheduled_at=soon`)).status).toBe(400);
    expect((await shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at: at(-3_600_000) })).status).toBe(400);
  });
});

describe('in production', () => {
  const server = testServer({ config: { mode: 'production', mailbox: false, smtpUrl: null, smsUrl: null } });

  test('a missing mail server is an error', async () => {
    const shop = await server.company();
    const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
    const { ready, findings } = await checkOf(shop, await campaignOf(shop, { ...WHOLE, list_id }));
    expect(ready).toBe(false);
    expect(findings.map(short)).toEqual(['error no_transport settings', 'warning no_recipients list_id']);
  });
});

describe('with a mail server', () => {
  const server = testServer({ config: { smtpUrl: 'smtp://127.0.0.1:9', publicUrl: 'https://shop.example' } });

  test('senders whose domain is not verified are warned of, of each variant', async () => {
    const shop = await server.company();
    const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
    const variants = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1, from: 'Ada <ada@other.example>' },
    ];
    const id = await campaignOf(shop, { ...WHOLE, from: 'shop@own.example', list_id, variants });
    const { ready, findings } = await checkOf(shop, id);
    expect(ready).toBe(true);
    expect(findings).toMatchObject([
      { severity: 'warning', code: 'no_recipients' },
      { severity: 'warning', code: 'unverified_sender', field: 'from', detail: 'own.example', variants: ['a'] },
      { severity: 'warning', code: 'unverified_sender', field: 'from', detail: 'other.example', variants: ['b'] },
    ]);
  });
});
