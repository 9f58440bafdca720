import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { accessibilityViolations, findingsEverywhere, operatorCookie, overflowOf, showTheme } from './browser.ts';
import { findChromium, openTab, PHONE, type Tab, testBrowser } from './chromium.ts';
import { withoutStream } from './every-page.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys of reports are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let contacts: number[];
    let campaigns: number[];
    const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;

    beforeAll(async () => {
      server.clock.set(new Date('2026-05-12T10:00:00Z'));
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
      contacts = [];
      for (const [email, first_name] of [
        ['ada@example.com', 'Ada'],
        ['ada.home@example.com', 'Ada'],
        ['bob@example.com', 'Bob'],
      ]) {
        contacts.push((await shop.marketing('POST', '/contacts', { email, first_name })).body.contact_id);
      }
      const { body: list } = await shop.marketing('POST', '/lists', { name: 'Newsletter' });
      await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
      const content =
        '<h1>Tea</h1><p><a href="https://shop.example/sencha">Sencha</a> or <a href="https://shop.example/matcha">Matcha</a></p>';
      campaigns = [];
      for (const name of ['First flush', 'Second flush']) {
        const mail = { name, type: 'email', subject: name, content, list_id: list.list_id };
        const { body } = await shop.marketing('POST', '/campaigns', mail);
        campaigns.push(body.campaign_id);
        await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
        while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
      }
      await shop.marketing('POST', '/campaigns', {
        name: 'Autumn',
        type: 'email',
        subject: 'Autumn',
        content,
        list_id: list.list_id,
        scheduled_at: '2026-05-20 09:00:00',
      });
      const { body: box } = await shop.marketing('GET', '/mailbox?per_page=100');
      const first = box.messages.find((one: { subject: string }) => one.subject === 'First flush');
      const { body: full } = await shop.marketing('GET', `/mailbox/${first.id}`);
      const [link] = full.html.match(/http[^"]+\/t\/c\/[^"]+/);
      await server.request('GET', link.replace(server.origin, ''));
      await server.rows(
        `insert into message_activity (company_id, message_id, type, reference, amount, created_at)
         values ($1, $2, 'converted', 1, 4250, $3)`,
        [shop.company_id, first.id, server.clock.now()],
      );
    });

    async function isWellMade({ page, ...tab }: Tab): Promise<void> {
      await page.waitForLoadState('networkidle');
      expect(await accessibilityViolations({ page, ...tab })).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await showTheme(page, 'dark');
      expect(await accessibilityViolations({ page, ...tab })).toEqual([]);
      await showTheme(page, 'light');
    }

    for (const viewport of [undefined, PHONE]) {
      const where = viewport === undefined ? 'on a desk' : 'on a phone';
      const open = async () => {
        const tab = await openTab(browser, server, { cookie, ...(viewport === undefined ? {} : { viewport }) });
        await withoutStream(tab.page);
        await tab.page.clock.setFixedTime(server.clock.now());
        return tab;
      };

      test(`${where} the home page tells what marketing led to`, async () => {
        const tab = await open();
        const { page } = tab;
        await page.goto(`/admin/${shop.company_id}/home`);
        await page.getByRole('heading', { name: 'Revenue from marketing' }).waitFor();
        await page.getByRole('link', { name: 'First flush' }).waitFor();
        await page.getByText('$42.50').first().waitFor();
        await page.getByText('Gmail and Yahoo: never 0.3% or more; better below 0.1%.').waitFor();
        await page.getByText('+3 / −0').waitFor();
        await isWellMade(tab);
        expect(tab.problems).toEqual([]);
      });

      test(`${where} campaigns stand in a calendar, and are compared`, async () => {
        const tab = await open();
        const { page } = tab;
        await page.goto(`/admin/${shop.company_id}/campaigns`);
        await page.getByRole('link', { name: 'Calendar' }).click();
        await page.getByRole('heading', { name: 'May 2026' }).waitFor();
        await page.getByRole('link', { name: 'Autumn' }).waitFor();
        await isWellMade(tab);
        await page.getByRole('button', { name: 'Next month' }).click();
        await page.getByText('No campaign in this month').waitFor();
        await page.getByRole('button', { name: 'Previous month' }).click();
        await page.getByRole('link', { name: 'Second flush' }).waitFor();

        await page.goto(`/admin/${shop.company_id}/campaigns`);
        await page.getByRole('checkbox', { name: `Select ${campaigns[0]}`, exact: true }).check();
        await page.getByRole('button', { name: 'Compare' }).click();
        await page.getByText('Select two to five campaigns to compare.').waitFor();
        await page.getByRole('checkbox', { name: `Select ${campaigns[1]}`, exact: true }).check();
        await page.getByRole('button', { name: 'Compare' }).click();
        await page.getByRole('heading', { name: 'Compare campaigns' }).waitFor();
        const row = page.getByRole('row', { name: /Clicked/ });
        await row.waitFor();
        expect(await row.textContent()).toMatch(/1 ?Best.*33\.33%/);
        await isWellMade(tab);
        expect(tab.problems).toEqual([]);
      });

      test(`${where} the report shows the clicks on the e-mail, which leads nowhere`, async () => {
        const tab = await open();
        const { page } = tab;
        await page.goto(`/admin/${shop.company_id}/campaigns/${campaigns[0]}`);
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        const link = page.frameLocator('iframe[title="Clicks on the e-mail"]').getByRole('link', { name: 'Sencha' });
        await link.waitFor();
        const style = "getComputedStyle([...document.links].find((one) => one.text === 'Sencha'), '::after').content";
        expect(await link.evaluate(style)).toBe('"1"');
        expect(await link.getAttribute('href')).toMatch(/^#/);
        expect(tab.problems).toEqual([]);
      });
    }

    test('the reports show growth and revenue over time, and save both as CSV', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page } = tab;
      await withoutStream(page);
      await page.clock.setFixedTime(server.clock.now());
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('link', { name: 'Reports' }).click();
      await page.getByRole('link', { name: 'First flush' }).waitFor();
      await page.getByText('$42.50').first().waitFor();
      await page.getByRole('row', { name: 'May 12, 2026 3 0 3' }).waitFor();
      await page.getByRole('row', { name: /^Others 6 100% / }).waitFor();
      expect(await findingsEverywhere(tab, 'reports')).toEqual([]);
      const savedBy = async (section: string): Promise<string> => {
        const button = page
          .locator('section')
          .filter({ has: page.getByRole('heading', { name: section }) })
          .getByRole('button', { name: 'Download CSV' });
        const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
        return readFile(await file.path(), 'utf8');
      };
      expect(await savedBy('Revenue of campaigns and flows')).toBe(
        '\uFEFFDay,Campaign,Orders,Revenue,Refunded,After refunds\r\n2026-05-12,First flush,1,42.5,0,42.5\r\n',
      );
      expect(await savedBy('Deliverability by mailbox provider')).toMatch(
        /^\uFEFFProvider,Sent,Delivered,Opened,Clicked,Bounced,Complaints\r\nOthers,6,6,1,1,0,0\r\n$/,
      );
      await page.getByLabel('List', { exact: true }).selectOption('Newsletter');
      await page.getByText('12 months').click();
      await page.getByRole('row', { name: 'May 2026 3 0 3' }).waitFor();
      expect(await savedBy('Growth of lists')).toMatch(
        /^\uFEFFMonth,Joined,Left,Active\r\n2025-05-01,0,0,0\r\n.*2026-05-01,3,0,3\r\n$/s,
      );
      await page.getByRole('radiogroup', { name: 'Revenue by' }).getByText('Flows').click();
      await page.getByText('No order followed a message in this period.').waitFor();
      expect(tab.problems).toEqual([]);
    });

    test('two contacts are shown side by side and merged', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page } = tab;
      await withoutStream(page);
      await page.goto(`/admin/${shop.company_id}/contacts/${contacts[0]}/merge`);
      await page.getByLabel('Who becomes part of this contact?').fill('ada.home');
      await page.getByRole('radio', { name: /ada\.home/ }).check();
      await page
        .getByRole('row', { name: /E-mail address ada@example\.com ada\.home@example\.com ada@example\.com/ })
        .waitFor();
      await isWellMade(tab);
      await page.setViewportSize(PHONE);
      await isWellMade(tab);
      await page.getByRole('button', { name: 'Merge', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
      await page.getByText('is part of').waitFor();
      await page.waitForURL(new RegExp(`/contacts/${contacts[0]}$`));
      expect((await shop.marketing('GET', `/contacts/${contacts[1]}`)).status).toBe(404);
      expect(tab.problems).toEqual([]);
    });
  });
}
