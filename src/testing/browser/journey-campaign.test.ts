import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { findingsEverywhere, operatorCookie } from './browser.ts';
import { findChromium, openTab, type Tab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of a campaign is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('a campaign in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let tab: Tab;
    let page: Page;
    /** Of the campaign that is written. */
    let id: number;
    let templateId: number;
    /** When it is scheduled for, as a field of the page takes it. */
    let at: string;
    /** Who got the test of the variants, and who of them clicks. */
    let tested: { recipient: string; variant: string }[];
    let clicker: string;
    const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
    const settle = async (): Promise<void> => {
      while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
    };
    const listOf = async (name: string, emails: string[]): Promise<number> => {
      const { list_id } = (await shop.marketing('POST', '/lists', { name })).body;
      const contacts = emails.map((email) => ({ email, first_name: email.split('@')[0], list_ids: [list_id] }));
      await shop.marketing('POST', '/contacts/batch', { contacts });
      return list_id;
    };

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      tab = await openTab(browser, server, { cookie: await operatorCookie(server) });
      page = tab.page;
      const list_id = await listOf('Friends', ['ada@example.com', 'bob@example.com']);
      const mail = { name: 'First', type: 'email', subject: 'First', content: '<p>First</p>', list_id };
      const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
      await shop.marketing('POST', `/campaigns/send/${campaign_id}`);
      await settle();
      await listOf(
        'Newsletter',
        Array.from({ length: 150 }, (_, n) => `p${n}@example.com`),
      );
    });

    const well = async (name: string): Promise<void> => {
      expect(await findingsEverywhere(tab, name)).toEqual([]);
    };
    const step = (name: string) => page.locator('[aria-current=step]').getByText(name, { exact: true }).waitFor();
    const next = () => page.getByRole('button', { name: 'Continue', exact: true });
    const read = async () => (await shop.marketing('GET', `/campaigns/${id}`)).body;

    test('says first who it goes to', async () => {
      await page.goto(`/admin/${shop.company_id}/campaigns`);
      await page.getByRole('link', { name: 'New campaign' }).first().click();
      await page.getByLabel('Name').fill('Spring');
      const audience = page.getByRole('combobox', { name: 'Audience' });
      await audience.selectOption({ label: 'List: Newsletter' });
      await audience.selectOption({ label: 'List: Friends' });
      await page.getByRole('combobox', { name: 'Except' }).selectOption({ label: 'List: Friends' });
      await page.getByRole('list', { name: 'Audience' }).getByRole('button', { name: 'Remove List: Friends' }).click();
      await well('who');
      await page.getByLabel('Name').press('Enter');
      await step('What');
      id = Number(/campaigns\/(\d+)\/edit\?step=what/.exec(page.url())?.[1]);
    });

    test('is written with blocks in the editor, and what was typed is still there on the way back', async () => {
      await page.getByLabel('Subject').fill('The jasmine is in');
      await page.getByLabel('Sender').fill('Rowan <news@rowan.example>');
      await page.getByRole('button', { name: 'Write with blocks' }).click();
      await page.getByRole('heading', { name: 'Spring', exact: true, level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Button', exact: true }).first().click();
      await page.getByLabel('Link', { exact: true }).fill('https://shop.example/jasmine');
      await page.frameLocator('iframe').getByRole('link', { name: 'Shop now' }).waitFor();
      await well('editor');
      await page.getByRole('button', { name: 'Save and go back' }).click();
      await step('What');
      expect(await page.getByLabel('Subject').inputValue()).toBe('The jasmine is in');
      templateId = (await read()).template_id;
      expect(await page.getByRole('combobox', { name: 'Template' }).inputValue()).toBe(String(templateId));
      expect((await shop.marketing('GET', `/templates/${templateId}`)).body).toMatchObject({
        name: 'Spring',
        channel: 'email',
        design: { blocks: expect.arrayContaining([expect.objectContaining({ type: 'button' })]) },
      });
    });

    test('is previewed and split, and what is typed outlives a reload', async () => {
      const views = page.getByRole('radiogroup', { name: 'Preview', exact: true });
      const view = (name: string) => views.getByText(name, { exact: true }).click();
      const frame = page.locator('iframe');
      await page.frameLocator('iframe').getByRole('link', { name: 'Shop now' }).waitFor();
      await view('Text');
      await page.locator('pre').getByText('https://shop.example/jasmine').waitFor();

      await page.getByRole('button', { name: 'Add variants' }).click();
      const variant = (key: string) => page.getByRole('group', { name: `Variant ${key}` });
      await variant('a').getByLabel('Subject').fill('Jasmine, picked in May');
      await variant('b').getByLabel('Preview text').fill('Here since Monday');
      await page.getByRole('switch', { name: 'Test the variants first' }).click();
      await page.getByLabel('Recipients in the test, in percent').fill('40');
      await page.getByLabel('Duration of the test, in hours').fill('2');
      await page.reload();
      await page.getByText('Your unsaved changes were restored.').waitFor();
      await page.getByRole('radiogroup', { name: 'Variants' }).getByText('Variant a').click();
      await page.locator('strong').getByText('Jasmine, picked in May').waitFor();
      const wide = (await frame.boundingBox())!.width;
      await view('Phone');
      await page.locator('iframe[data-phone]').waitFor();
      expect((await frame.boundingBox())!.width).toBeLessThan(Math.min(wide, 380));
      await page.getByRole('switch', { name: 'Dark' }).click();
      expect(await frame.getAttribute('data-dark')).toBe('true');
      await well('what');
    });

    test('is sent as a test', async () => {
      await page.getByRole('button', { name: 'Send test' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('To').fill('me@example.com');
      await dialog.getByLabel('As a contact').fill('ada');
      await dialog.getByRole('button', { name: 'ada', exact: true }).click();
      await dialog.getByLabel('Variant').selectOption({ label: 'Variant a' });
      await well('test');
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('The test is on its way').waitFor();
      await settle();
      const mail = (await shop.marketing('GET', '/mailbox/latest?to=me@example.com')).body;
      expect(mail).toMatchObject({ subject: expect.stringContaining('Jasmine, picked in May') });
      expect(mail.html).toContain('Hi ada');
      await next().click();
      await step('When');
    });

    test('is scheduled in an hour by the clocks of the shop, once what was found is looked at', async () => {
      const now = server.clock.now().getTime();
      at = new Date(now + 3_600_000).toISOString().slice(0, 16);
      await page.getByText('At a time', { exact: true }).click();
      await next().click();
      await page.getByText('A time is missing.').waitFor();
      await page.getByLabel('Scheduled for').fill(new Date(now - 3_600_000).toISOString().slice(0, 16));
      await next().click();
      await step('Check');
      await page.getByText('The scheduled time has passed.').waitFor();
      await page.getByRole('link', { name: 'Go to When' }).click();
      await step('When');
      await page.getByLabel('Scheduled for').fill(at);
      await well('when');
      await next().click();

      // The audience is larger than ever before; each finding leads to where it is fixed.
      await step('Check');
      await page.getByText('It goes to 150 recipients. No campaign before went to more than 2.').waitFor();
      await well('check');
      await page.getByRole('link', { name: 'Go to Who' }).click();
      await step('Who');
      await page
        .getByRole('navigation', { name: 'Steps' })
        .getByRole('link', { name: 'Go', exact: true })
        .press('Enter');

      await step('Go');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Send it');
      await page.getByText('List: Newsletter').waitFor();
      expect((await read()).status).toBe('draft');
      await well('go');
      await page.getByRole('button', { name: 'Schedule' }).click();
      await page.getByText('Scheduled', { exact: true }).first().waitFor();
      expect(await read()).toMatchObject({
        status: 'scheduled',
        scheduled_at: `${at.replace('T', ' ')}:00`,
        from: 'Rowan <news@rowan.example>',
        ab_test: { share: 40, hours: 2, metric: 'clicked' },
        template_id: templateId,
        variants: [
          { key: 'a', weight: 1, subject: 'Jasmine, picked in May' },
          { key: 'b', weight: 1, preview_text: 'Here since Monday' },
        ],
      });
    });

    test('tests its variants, of which one is clicked and brings an order, and is paused beyond the end of the test', async () => {
      server.clock.advance(3_600_000);
      await settle();
      tested = (await shop.marketing('GET', `/campaigns/${id}/recipients?state=sent&per_page=100`)).body.recipients;
      clicker = tested.find(({ variant }) => variant === 'b')!.recipient;
      const { html } = (await shop.marketing('GET', `/mailbox/latest?to=${clicker}`)).body;
      await server.request('GET', html.match(/http[^"]+\/t\/c\/[^"]+/)[0].replace(server.origin, ''));
      const event_data = { email: clicker, order_id: 'o1', total: 42.5 };
      await shop.marketing('POST', '/events', { event_type: 'order_placed', event_data });
      // The page is told by the server what changes: nobody reloads it from here on.
      await page.getByRole('progressbar').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      server.clock.advance(7_200_000);
      await settle();
      expect(await read()).toMatchObject({ status: 'paused', winner: null, counts: { sent: tested.length } });
      await well('paused');
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await settle();
    });

    test('is read in its report', async () => {
      await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'detached' });
      expect(await read()).toMatchObject({ status: 'sent', winner: 'b', counts: { sent: 150, converted: 1 } });
      const table = (name: string) => page.getByRole('table', { name, exact: true });
      await table('Variants')
        .getByRole('row', { name: /^b \(winner\).* 1 \$42\.50 \$42\.50$/ })
        .waitFor();
      await page.getByText('Variant b won: most by “Clicks” for each message sent.').waitFor();
      await table('Links').getByRole('row', { name: 'https://shop.example/jasmine 1' }).waitFor();
      // Revenue and net.
      for (const nth of [0, 1]) await page.locator('dd').getByText('$42.50').nth(nth).waitFor();
      await page.getByLabel('Figure').selectOption('Revenue');
      await table('Day by day').getByRole('cell', { name: '$42.50' }).waitFor({ state: 'attached' });
      await page.getByLabel('Status').selectOption('Clicked');
      await table('Recipients').getByRole('row').nth(2).waitFor({ state: 'detached' });
      await table('Recipients').getByRole('row').nth(1).getByRole('link', { name: clicker }).waitFor();
      await well('report');
      expect(tab.problems).toEqual([]);
    });
  });
}
