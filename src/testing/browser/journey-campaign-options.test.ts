import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { findingsEverywhere, operatorCookie } from './browser.ts';
import { DESK, findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, variants and hold-outs of campaigns are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
    const settle = async (): Promise<void> => {
      while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
    };

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
    });

    test('a campaign gets a hold-out group and is changed from a test of variants to time zones, and its report compares', async () => {
      const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
      const contacts = Array.from({ length: 300 }, (_, n) => ({
        email: `p${n}@example.com`,
        external_id: `x${n}`,
        list_ids: [list.list_id],
      }));
      await shop.marketing('POST', '/contacts/batch', { contacts });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems, context } = tab;
      /** For people who look at the pages, in a folder that SHOTS names. */
      const shown = async (name: string): Promise<void> => {
        for (const size of process.env.SHOTS ? [PHONE, DESK] : []) {
          await page.setViewportSize(size);
          await page.screenshot({ path: `${process.env.SHOTS}/${name}-${size.width}.png`, fullPage: true });
        }
      };
      const { body: made } = await shop.marketing('POST', '/campaigns', {
        name: 'Spring',
        type: 'email',
        subject: 'For all',
        content: '<p>Spring</p>',
        list_id: list.list_id,
        variants: [
          { key: 'a', weight: 1 },
          { key: 'b', weight: 1 },
        ],
        ab_test: { share: 40, hours: 2, metric: 'opened' },
      });
      const id = made.campaign_id;
      const read = async () => (await shop.marketing('GET', `/campaigns/${id}`)).body;
      const next = () => page.getByRole('button', { name: 'Continue' }).click();
      await page.goto(`/admin/${shop.company_id}/campaigns/${id}/edit`);
      await page.getByLabel('Hold-out group, in percent').fill('51');
      await next();
      await page.getByText('The number must be at most 50.').waitFor();
      await page.getByLabel('Hold-out group, in percent').fill('50');
      await next();

      // Each variant is previewed as its recipients get it.
      const variant = (key: string) => page.getByRole('group', { name: `Variant ${key}` });
      await variant('a').getByLabel('Sender').fill('Ada <ada@shop.example>');
      await variant('b').getByLabel('Share').fill('3');
      await variant('b').getByText('75% of the recipients').waitFor();
      await variant('b').getByLabel('Template').selectOption('Content of its own');
      await variant('b').getByLabel('Content').fill('<p>Only the tulips</p>');
      const previewed = page.getByRole('radiogroup', { name: 'Variants' });
      await previewed.getByText('Variant b').click();
      await page.frameLocator('iframe').getByText('Only the tulips').waitFor();
      await previewed.getByText('Variant a').click();
      await page.frameLocator('iframe').getByText('Spring', { exact: true }).waitFor();
      await variant('b').getByLabel('Template').selectOption('As in the campaign');
      await page.getByRole('button', { name: 'Add variant', exact: true }).click();
      await page.getByRole('button', { name: 'Remove variant c' }).click();

      // Without the test it may be sent by the clock of each contact, which takes a time to come.
      await page.getByRole('switch', { name: 'Test the variants first' }).click();
      await next();
      await page.getByRole('switch', { name: 'In each contact’s time zone' }).click();
      expect(await page.getByText('At once', { exact: true }).count()).toBe(0);
      await next();
      await page.getByText('A time is missing.').waitFor();
      await page.getByLabel('Scheduled for').fill('2026-03-17T09:00');
      await next();
      await page.getByRole('heading', { name: 'Is everything right?' }).waitFor();
      await next();
      await page.getByText('Yes, over 26 hours').waitFor();
      await page.getByRole('button', { name: 'Schedule' }).click();
      await page.getByText('Scheduled', { exact: true }).first().waitFor();
      expect(await read()).toMatchObject({
        variants: [
          { key: 'a', weight: 1, from: 'Ada <ada@shop.example>' },
          { key: 'b', weight: 3 },
        ],
        ab_test: null,
        holdout_percent: 50,
        send_in_contact_time_zone: true,
        status: 'scheduled',
      });

      for (const at of ['2026-03-16T19:00:00Z', '2026-03-17T09:00:00Z']) {
        server.clock.set(at);
        await settle();
      }
      const { body: held } = await shop.marketing('GET', `/campaigns/${id}`);
      const { body: sent } = await shop.marketing('GET', `/campaigns/${id}/recipients?per_page=100`);
      for (const { contact_id, recipient: email } of sent.recipients.slice(0, 40)) {
        const event_data = { email, order_id: `o${contact_id}`, total: 20 };
        const { status } = await shop.marketing('POST', '/events', { event_type: 'order_placed', event_data });
        expect(status).toBe(201);
      }
      // The session ended with the days that passed.
      await context.addCookies([{ name: 'tradeloom', value: await operatorCookie(server), url: server.origin }]);
      await page.goto(`/admin/${shop.company_id}/campaigns/${id}`);
      const compared = page.getByRole('table', { name: 'Hold-out group' });
      await compared
        .getByRole('row', { name: /^Held out/ })
        .getByText(String(held.held_out))
        .waitFor();
      await page.getByText('Recipients of the campaign ordered more').waitFor();
      await page.getByRole('table', { name: 'Variants' }).waitFor();
      await shown('report');
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('scheduling for more than 10,000 says that it takes a password, and asks before it goes on', async () => {
      const { list_id } = (await shop.marketing('POST', '/lists', { name: 'Everybody' })).body;
      await server.rows(
        `with made as (
           insert into contacts (company_id, email, search, created_at, updated_at)
           select $1, 'q' || n || '@example.com', '', $3, $3 from generate_series(1, 10001) n returning id
         )
         insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
         select $1, $2, id, 'active', $3, $3 from made`,
        [shop.company_id, list_id, server.clock.now()],
      );
      const mail = { name: 'Summer', type: 'email', subject: 'Summer', content: '<p>Summer</p>', list_id };
      const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
      const status = async () => (await shop.marketing('GET', `/campaigns/${campaign_id}`)).body.status;
      const { page, problems } = await openTab(browser, server, { cookie: await operatorCookie(server) });
      await page.goto(`/admin/${shop.company_id}/campaigns/${campaign_id}/edit?step=when`);
      await page.getByText('At a time', { exact: true }).click();
      await page.getByLabel('Scheduled for').fill('2099-05-04T09:30');
      await page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name: 'Go' }).click();
      await page.getByText('so you need to confirm with your password or passkey').waitFor();
      await page.getByRole('button', { name: 'Schedule' }).click();
      const question = page.getByRole('dialog');
      await question.getByText('It goes to 10,001 recipients').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      expect(await status()).toBe('draft');
      await page.getByRole('button', { name: 'Schedule' }).click();
      await question.getByRole('button', { name: 'Schedule' }).click();
      await expect.poll(status).toBe('scheduled');
      expect(problems).toEqual([]);
    });
  });
}
