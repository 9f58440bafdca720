import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { findingsEverywhere, operatorCookie } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const DAY_MS = 86_400_000;
const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys of segments are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    const order = async (name: string, daysAgo: number): Promise<void> => {
      const { status } = await shop.marketing('POST', '/events', {
        event_type: 'order_placed',
        occurred_at: new Date(server.clock.now().getTime() - daysAgo * DAY_MS).toISOString(),
        event_data: { order_id: `${name}-${daysAgo}`, email: `${name}@example.com`, total: 20 },
      });
      expect(status).toBe(201);
    };

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      for (const name of ['ada', 'bob', 'cleo'])
        await shop.marketing('POST', '/contacts', { email: `${name}@example.com` });
      // Ada bought twice and stays away; Bob bought twice, lately; Cleo bought once, long ago.
      for (const [name, daysAgo] of [
        ['ada', 100],
        ['ada', 70],
        ['bob', 100],
        ['bob', 5],
        ['cleo', 90],
      ] as const) {
        await order(name, daysAgo);
      }
      cookie = await operatorCookie(server);
    });

    test('the list shows how many contacts each has: the last count with its day, or one that is made now', async () => {
      const other = await server.company({ name: 'Fern Hill' });
      for (const name of ['ada', 'bob']) await other.marketing('POST', '/contacts', { email: `${name}@fern.example` });
      const make = async (name: string): Promise<number> =>
        (await other.marketing('POST', '/segments', { name, conditions: { rules: [] } })).body.segment_id;
      const [kept, slow] = [await make('Kept'), await make('Slow')];
      await make('New');
      const day = new Date(server.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10);
      for (const [id, n] of [
        [kept, 1_234],
        [slow, null],
      ])
        await server.rows('insert into segment_counts (company_id, segment_id, day, n) values ($1, $2, $3, $4)', [
          ...[other.company_id, id, day, n],
        ]);
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const counted: string[] = [];
      page.on('request', (request) => {
        if (/\/segments\/\d+$/.test(request.url())) counted.push(request.url());
      });
      await page.goto(`/admin/${other.company_id}/segments`);
      const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
      await row('Kept').getByText('1,234').waitFor();
      await row('Kept')
        .getByText(/^on .*\d{4}$/)
        .waitFor();
      await row('New').getByText('now').waitFor();
      await row('Slow').getByTitle('Counting takes too long').waitFor();
      expect(counted).toHaveLength(1);
      expect(await findingsEverywhere(tab, 'segments')).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('the list shows separate texts for a count that takes too long and one that failed', async () => {
      const other = await server.company({ name: 'Low Meadow' });
      const make = async (name: string): Promise<number> =>
        (await other.marketing('POST', '/segments', { name, conditions: { rules: [] } })).body.segment_id;
      const [endless, broken] = [await make('Endless'), await make('Broken')];
      const { page } = await openTab(browser, server, { cookie });
      await page.route(`**/segments/${endless}`, () => {});
      await page.route(`**/segments/${broken}`, (route) => route.fulfill({ status: 403, json: {} }));
      await page.goto(`/admin/${other.company_id}/segments`);
      const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
      await row('Endless').getByTitle('Counting takes too long').waitFor();
      await row('Broken').getByTitle('Your role does not allow this.').waitFor();
    });

    test('who bought twice and not in 60 days is found by mouse, counted while the rules are written, and explained', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/segments`);
      await page.getByRole('link', { name: 'New segment' }).first().click();
      await page.getByLabel('Name').fill('Bought twice, stays away');
      await page.getByRole('status').getByText('3 contacts').waitFor();
      await page.getByRole('button', { name: 'Add a rule' }).click();
      const first = page.getByRole('group', { name: 'Rule 1' });
      await first.getByLabel('What').selectOption({ label: 'Orders' });
      await first.getByLabel('Value').fill('2');
      await page.getByRole('status').getByText('2 contacts').waitFor();
      await page.getByRole('button', { name: 'Add a rule' }).click();
      const second = page.getByRole('group', { name: 'Rule 2' });
      await page.getByText('Complete the rules').waitFor();
      await second.getByLabel('What').selectOption({ label: 'Orders' });
      await second.getByLabel('Measure').selectOption({ label: 'days since the last' });
      await second.getByLabel('Comparison').selectOption({ label: 'is more than' });
      await second.getByLabel('Value').fill('60');
      await page.getByRole('status').getByText('1 contact').waitFor();
      await page
        .getByRole('status')
        .getByText(/counted in [\d.]+ s/)
        .waitFor();
      await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
      await page.getByText('Has at least 2 orders and the last order was more than 60 days ago.').waitFor();
      await page.getByRole('button', { name: 'Create' }).click();

      await page.getByRole('heading', { name: 'Bought twice, stays away' }).waitFor();
      const id = Number(/segments\/(\d+)/.exec(page.url())?.[1]);
      const stored = await shop.marketing('GET', `/segments/${id}`);
      expect(stored.body.conditions).toEqual({
        operator: 'and',
        rules: [
          { field: 'purchases.count', comparison: 'greater_than_or_equal', value: 2 },
          { field: 'purchases.days_since_last', comparison: 'greater_than', value: 60 },
        ],
      });
      await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
      await page.getByRole('link', { name: 'Why?' }).click();
      await page.getByText('ada@example.com is in this segment').waitFor();
      await page.getByText('This person has: 70').waitFor();
      await page.getByRole('link', { name: 'Bought twice, stays away' }).click();
      await page.getByLabel('Person, whether in it or not').fill('bob');
      await page.getByRole('link', { name: 'bob@example.com' }).click();
      await page.getByText('bob@example.com is not in this segment').waitFor();
      const rules = page.locator('main li');
      await rules.filter({ hasText: 'Has at least 2 orders.' }).filter({ hasText: 'Holds:' }).waitFor();
      await rules.filter({ hasText: 'This person has: 5' }).filter({ hasText: 'Does not hold:' }).waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('rules are built by keyboard alone, and one that only JSON shows stays as it is', async () => {
      const kept = { field: 'email', comparison: 'exists', note: 'kept' };
      const made = await shop.marketing('POST', '/segments', { name: 'Kept', conditions: { rules: [kept] } });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/segments/${made.body.segment_id}/edit`);
      await page.getByText('"note": "kept"').waitFor();
      await page.getByRole('button', { name: 'Add a rule' }).focus();
      await page.keyboard.press('Enter');
      // The new rule has the focus.
      await page.keyboard.type('E-mail');
      await page.keyboard.press('Tab');
      await page.keyboard.type('contains');
      await page.keyboard.press('Tab');
      await page.keyboard.type('cleo');
      await page.getByRole('status').getByText('1 contact').waitFor();
      // Removing it leads to what was before it.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('3 contacts').waitFor();
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Remove rule 1');
      await page.getByRole('button', { name: 'Add a rule' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type('Tag');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Tab');
      await page.keyboard.type('vip');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(/segments\/\d+$/);
      // Until the next page is loaded, the form is still shown.
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
      const { body } = await shop.marketing('GET', `/segments/${made.body.segment_id}`);
      expect(body.conditions).toEqual({ rules: [kept, { field: 'tags', comparison: 'not_equals', value: 'vip' }] });
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('a signup form is made, shown as visitors see it, and changed', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await shop.marketing('POST', '/lists', { name: 'News' });
      await page.goto(`/admin/${shop.company_id}/forms/new`);
      await page.getByLabel('Name').fill('Tea letter');
      await page.getByLabel('News').check();
      await page.getByLabel('What people agree to').fill('Tea, monthly.');
      await page.getByRole('button', { name: 'Ask for more' }).click();
      await page.getByLabel('Required').check();
      await page.getByRole('button', { name: 'Ask for more' }).click();
      await page.getByLabel('Question 2').first().selectOption({ label: 'Property …' });
      await page.getByLabel('Property of question 2').fill('birthday');
      await page.getByLabel('Label of question 2').fill('Birthday');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Tea letter' }).first().waitFor();
      const id = Number(/forms\/(\d+)/.exec(page.url())?.[1]);
      const { body } = await shop.marketing('GET', `/forms/${id}`);
      expect(body).toMatchObject({
        name: 'Tea letter',
        double_opt_in: true,
        channels: ['email'],
        min_fill_seconds: 2,
        max_per_hour: 500,
        fields: [
          { name: 'first_name', required: true },
          { name: 'properties.birthday', label: 'Birthday' },
        ],
      });
      expect(body.list_ids).toHaveLength(1);
      expect(body.consent_text).toBe('Tea, monthly.');
      await page.getByText(body.embed).waitFor();
      const hosted = page.frameLocator('iframe');
      await hosted.getByRole('heading', { name: 'Tea letter' }).waitFor();
      await hosted.getByLabel('Birthday').waitFor();
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByLabel('Text after signing up').fill('Thank you');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Tea letter' }).first().waitFor();
      const stored = async () => (await shop.marketing('GET', `/forms/${id}`)).body.success_text;
      await expect.poll(stored).toBe('Thank you');
      expect(problems).toEqual([]);
    });

    test('a form gets a look, which its page shows, and its signups are drawn by day', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const { body } = await shop.marketing('POST', '/forms', { name: 'Looks', double_opt_in: false });
      const path = `/admin/${shop.company_id}/forms/${body.form_id}`;
      await page.goto(path);
      await page.getByText('Nobody has signed up in these days.').waitFor();
      for (const n of [1, 2, 3]) {
        await server.request('POST', `/f/${body.public_id}`, { body: { email: `looks${n}@example.com` } });
      }
      await page.goto(`${path}/edit`);
      await page.getByLabel('Title', { exact: true }).fill('The tea letter');
      await page.getByLabel('Text of the button').fill('Pour me one');
      await page.getByLabel('Color of the button', { exact: true }).fill('#ffe100');
      await page.getByLabel('Address of a picture').fill('ftp://x.example/logo.png');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => page.getByLabel('Address of a picture').getAttribute('aria-invalid')).toBe('true');
      await page.getByLabel('Address of a picture').fill('');
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      const hosted = page.frameLocator('iframe');
      await hosted.getByRole('heading', { name: 'The tea letter' }).waitFor();
      await hosted.getByRole('button', { name: 'Pour me one' }).waitFor();
      const ofButton = 'getComputedStyle(document.querySelector("button"))';
      const inside = hosted.locator('body');
      const colors = await inside.evaluate(`[${ofButton}.backgroundColor, ${ofButton}.color]`);
      expect(colors).toEqual(['rgb(255, 225, 0)', 'rgb(0, 0, 0)']);
      const chart = page.getByRole('table', { name: 'Signups of the last 30 days' });
      await expect.poll(() => chart.getByRole('row').last().textContent()).toMatch(/33$/);
      const svg = page.getByRole('figure').locator('svg');
      const { width, height } = (await svg.boundingBox())!;
      await svg.hover({ position: { x: width - 3, y: height - 3 } });
      await page
        .getByRole('figure')
        .getByText(/: 3, Confirmed: 3$/)
        .waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems.filter((one) => !one.includes('400'))).toEqual([]);
    });
  });
}
