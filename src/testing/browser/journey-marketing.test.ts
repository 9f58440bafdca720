import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { findingsEverywhere, operatorCookie } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys of marketing are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    const worker = async (name: string): Promise<void> => {
      const found = server.app.workers.find((one) => one.name === name)!;
      while ((await found.runOnce()) > 0);
    };

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
    });

    test('a contact is entered, put on a list, and sent a campaign at once, which is checked before and reported', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/lists/new`);
      await page.getByLabel('Name').fill('Newsletter');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Newsletter' }).waitFor();
      const list = Number(/lists\/(\d+)/.exec(page.url())?.[1]);

      await page.goto(`/admin/${shop.company_id}/contacts/new`);
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('First name').fill('Ada');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Ada' }).waitFor();
      await page.getByText('Subscribed').first().waitFor();

      await page.goto(`/admin/${shop.company_id}/lists/${list}`);
      await page.getByRole('button', { name: 'Add contacts' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail addresses').fill('ada@example.com\nnobody@example.com');
      await dialog.getByRole('button', { name: 'Add contacts' }).click();
      await page.getByText('1 contact added, 1 not found').waitFor();
      await page.getByRole('link', { name: 'Ada' }).waitFor();

      const written = { subject: 'Hello {{ contact.first_name }}', content: '<h1 style="color:#364fc7">Spring</h1>' };
      const { body: campaign } = await shop.marketing('POST', '/campaigns', {
        name: 'Spring',
        type: 'email',
        list_id: list,
        ...written,
      });
      await page.goto(`/admin/${shop.company_id}/campaigns/${campaign.campaign_id}`);
      // In a frame of no origin, with the styles that the e-mail has.
      const heading = page.frameLocator('iframe').getByRole('heading', { name: 'Spring' });
      await heading.waitFor();
      expect(await heading.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(54, 79, 199)');
      await page.getByRole('link', { name: 'Check and send' }).click();
      await page.getByText('There is no unsubscribe link.').waitFor();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Send now' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
      await page.getByRole('progressbar').waitFor();
      await worker('campaigns');
      await worker('sender');
      await worker('campaigns');
      await page.getByText('Sent', { exact: true }).first().waitFor();
      await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
      const { body } = await shop.marketing('GET', '/mailbox/latest?to=ada@example.com');
      expect(body).toMatchObject({ subject: 'Hello Ada' });
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('people who were never asked for consent are shown as such', async () => {
      const other = await server.company();
      const consent = { email: 'never' };
      const { body: contact } = await other.marketing('POST', '/contacts', { email: 'eve@example.com', consent });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${other.company_id}/contacts?status=unsubscribed`);
      await page.getByRole('row', { name: 'eve@example.com' }).getByText('Never asked').waitFor();
      await page.goto(`/admin/${other.company_id}/contacts/${contact.contact_id}`);
      await page.getByText('Never asked').first().waitFor();
      expect(await page.getByText('Unsubscribed', { exact: true }).count()).toBe(0);
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('a flow is made from the library, one of its e-mails changed, activated, and its run followed', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/flows`);
      await page.getByRole('button', { name: 'New flow' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Begin with').selectOption({ index: 0 });
      await dialog.getByLabel('Name').fill('Our flow');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Our flow' }).waitFor();
      const id = Number(/flows\/(\d+)/.exec(page.url())?.[1]);
      const { body: flow } = await shop.marketing('GET', `/flows/${id}`);
      const mail = flow.steps.find(({ type }: { type: string }) => type === 'send_email');

      await page.getByRole('link', { name: mail.name, exact: true }).click();
      await page.getByLabel('Subject').fill('A subject of our own');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('A subject of our own').waitFor();

      await page.getByRole('button', { name: 'Activate' }).click();
      await page.getByText('Active', { exact: true }).first().waitFor();
      const { body: contact } = await shop.marketing('POST', '/contacts', { email: 'flow@example.com' });
      const enrolled = await shop.marketing('POST', `/flows/enroll/${id}`, { contact_ids: [contact.contact_id] });
      expect(enrolled.status, JSON.stringify(enrolled.body)).toBe(200);
      await worker('flows');
      await page.reload();
      await page
        .getByRole('link', { name: /^#\d+$/ })
        .first()
        .click();
      await page.getByRole('heading', { name: /^Run #/ }).waitFor();
      const { body: changed } = await shop.marketing('GET', `/flows/${id}`);
      expect(changed.steps.find(({ step_id }: { step_id: string }) => step_id === mail.step_id).config.subject).toBe(
        'A subject of our own',
      );
      expect(await findingsEverywhere(tab)).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('of more than a hundred lists the chosen one stays, and another is found by its name', async () => {
      const many = await server.company();
      const made = async (name: string): Promise<number> =>
        (await many.marketing('POST', '/lists', { name })).body.list_id;
      const oldest = await made('The very first');
      for (let n = 1; n <= 110; n++) await made(`List ${n}`);
      const mail = { name: 'Spring', type: 'email', subject: 'Spring', content: '<p>Spring</p>', list_id: oldest };
      const { campaign_id } = (await many.marketing('POST', '/campaigns', mail)).body;
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${many.company_id}/campaigns/${campaign_id}/edit`);
      const audience = page.getByRole('combobox', { name: 'Audience' });
      await audience.waitFor();
      const chosen = page.getByRole('list', { name: 'Audience' });
      await chosen.getByRole('button', { name: 'Remove List: The very first' }).click();
      await page.getByRole('searchbox', { name: 'Search: Audience' }).fill('list 77');
      await expect.poll(() => audience.getByRole('option').allInnerTexts()).toEqual(['Add …', 'List: List 77']);
      await audience.selectOption({ label: 'List: List 77' });
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'What they get' }).waitFor();
      const { body } = await many.marketing('GET', `/campaigns/${campaign_id}`);
      expect(body.list_id).toBe(oldest + 77);
      expect(problems).toEqual([]);
    });
  });
}
