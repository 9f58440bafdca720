import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, type TestServer, testServer } from '../../testing/harness.ts';

const server: TestServer = testServer({ impatient: true });
const DAY = 86_400_000;
let shop: TestCompany;

beforeAll(() => server.clock.set('2026-03-02T12:00:00Z'));
beforeEach(async () => {
  shop = await server.company({ name: 'Fernhill' });
});

interface Made {
  form_id: number;
  public_id: string;
  look: object;
}

async function form(input: object = {}): Promise<Made> {
  const made = await shop.marketing('POST', '/forms', { name: 'Footer', ...input });
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  return made.body;
}
const page = ({ public_id }: Made) => server.request('GET', `/f/${public_id}`);
const embed = async ({ public_id }: Made): Promise<string> =>
  (await server.request('GET', `/f/${public_id}/embed.js`)).body;
const USUAL = { title: null, text: null, button: null, color: null, logo_url: null };
const NASTY = '"><script>alert(1)</script>{{ x }}';

describe('the look of a form', () => {
  test('is the usual one where nothing is set, is set in parts, and goes back by null', async () => {
    const made = await form();
    expect(made.look).toEqual(USUAL);
    const path = `/forms/${made.form_id}`;
    await shop.marketing('PATCH', path, { look: { title: 'Come in', color: '#1a56db' } });
    await shop.marketing('PATCH', path, { look: { color: null, button: 'Join' } });
    expect((await shop.marketing('GET', path)).body.look).toEqual({ ...USUAL, title: 'Come in', button: 'Join' });
    await shop.marketing('PATCH', path, { name: 'Other' });
    expect((await shop.marketing('GET', path)).body.look).toMatchObject({ title: 'Come in', button: 'Join' });
  });

  test.each([
    [{ color: 'red' }],
    [{ color: '#fff;}body{display:none' }],
    [{ logo_url: 'javascript:alert(1)' }],
    [{ logo_url: 'https://x.example/a b' }],
    [{ title: 'x'.repeat(121) }],
  ])('refuses %j', async (look) => {
    const { status } = await shop.marketing('POST', '/forms', { name: 'Footer', look });
    expect(status).toBe(400);
  });

  test('is shown on the hosted page and in the snippet, with a text on the button that can be read', async () => {
    const look = { title: 'Letters', text: 'Once a month', button: 'Join', color: '#ffe100' };
    const made = await form({ look: { ...look, logo_url: 'https://cdn.example:8443/logo.png' } });
    const { body, headers } = await page(made);
    for (const part of ['<h1>Letters</h1>', '<p>Once a month</p>', '<button>Join</button>', '<title>Letters</title>'])
      expect(body).toContain(part);
    expect(body).toContain('<img src="https://cdn.example:8443/logo.png" alt=""');
    expect(body).toContain('background: #ffe100; color: #000000');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'.*; img-src https:\/\/cdn\.example:8443$/,
    );
    const script = await embed(made);
    expect(script).toContain('[["img","https://cdn.example:8443/logo.png"],["h2","Letters"],["p","Once a month"]]');
    expect(script).toContain('background:#ffe100;color:#000000');
    expect(() => new Function(script)).not.toThrow();
  });

  test("is the brand kit's where the form says nothing, and its own where it does", async () => {
    const kit = { logo_url: 'https://brand.example/logo.png', style: { button: '#112233' } };
    await shop.marketing('PATCH', '/brand-kit', kit);
    const made = await form();
    for (const text of [(await page(made)).body, await embed(made)]) {
      expect(text).toContain('https://brand.example/logo.png');
      expect(text).toMatch(/background: ?#112233; ?color: ?#ffffff/);
    }
    expect((await page(made)).headers.get('content-security-policy')).toContain('img-src https://brand.example');
    await shop.marketing('PATCH', `/forms/${made.form_id}`, { look: { color: '#ffffff' } });
    expect((await page(made)).body).toContain('background: #ffffff; color: #000000');
  });

  test('is that of the page after it, too', async () => {
    const { public_id } = await form({ look: { logo_url: 'https://cdn.example/logo.png' } });
    const { status, body } = await server.request('POST', `/f/${public_id}`, {
      raw: 'email=a%40example.com',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(status).toBe(200);
    expect(body).toContain('<img src="https://cdn.example/logo.png"');
  });

  test('without a look and a brand kit changes neither page nor policy', async () => {
    const { body, headers } = await page(await form());
    expect(body).toContain('<main><h1>Footer</h1>');
    expect(body).not.toContain('<img');
    expect(headers.get('content-security-policy')).not.toContain('img-src');
  });

  test('with markup in it stays text, and a picture cannot add to the policy', async () => {
    const made = await form({
      look: { title: NASTY, text: NASTY, button: NASTY, logo_url: 'https://x.example/\';img-src*"><script>' },
    });
    const { body, headers } = await page(made);
    expect(body).not.toMatch(/<script|alert\(1\)<\/script/);
    expect(headers.get('content-security-policy')).toMatch(/img-src https:\/\/x\.example$/);
    expect(await embed(made)).not.toMatch(/<script|<\/script/);
  });

  test('keeps the snippet below five kilobytes', async () => {
    const made = await form({
      language: 'de',
      fields: ['first_name', 'last_name', 'properties.birthday', 'properties.size'].map((name) => ({ name })),
      look: {
        title: 'T'.repeat(120),
        text: 'x'.repeat(300),
        button: 'b'.repeat(60),
        color: '#112233',
        logo_url: `https://cdn.example/${'l'.repeat(100)}.png`,
      },
      consent_text: 'Ja, ich möchte Neuigkeiten und Angebote erhalten und kann das jederzeit widerrufen. '.repeat(3),
    });
    expect(Buffer.byteLength(await embed(made))).toBeLessThan(5_000);
  });
});

describe('GET /forms/{id}/days', () => {
  const submit = ({ public_id }: Made, email: string) => server.request('POST', `/f/${public_id}`, { body: { email } });
  const days = async ({ form_id }: Made, query = '') =>
    (await shop.marketing('GET', `/forms/${form_id}/days${query}`)).body.days;

  test('counts submissions and confirmations of each day, including days without any', async () => {
    const made = await form({ double_opt_in: false });
    const other = await form();
    await submit(made, 'a@example.com');
    await submit(other, 'z@example.com');
    server.clock.advance(2 * DAY);
    await submit(made, 'b@example.com');
    await submit(made, 'c@example.com');
    const today = server.clock.now().getTime();
    const dayOf = (ago: number): string => new Date(today - ago * DAY).toISOString().slice(0, 10);
    expect(await days(made, '?days=4')).toEqual([
      { day: dayOf(3), submissions: 0, confirmed: 0 },
      { day: dayOf(2), submissions: 1, confirmed: 1 },
      { day: dayOf(1), submissions: 0, confirmed: 0 },
      { day: dayOf(0), submissions: 2, confirmed: 2 },
    ]);
    expect(await days(made)).toHaveLength(30);
    expect((await days(other)).reduce((sum: number, one: { confirmed: number }) => sum + one.confirmed, 0)).toBe(0);
    const { submissions, confirmed } = (await shop.marketing('GET', `/forms/${made.form_id}`)).body;
    expect([submissions, confirmed]).toEqual([3, 3]);
  });

  test('is gone with the form', async () => {
    const made = await form({ double_opt_in: false });
    await submit(made, 'a@example.com');
    await shop.marketing('DELETE', `/forms/${made.form_id}`);
    expect((await shop.marketing('GET', `/forms/${made.form_id}/days`)).status).toBe(404);
    expect(await server.rows('select 1 from form_days where company_id = $1', [shop.company_id])).toEqual([]);
  });
});
