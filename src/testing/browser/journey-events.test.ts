import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere, operatorCookie } from './browser.ts';
import { findChromium, openTab, PHONE, testBrowser } from './chromium.ts';
import { fillMarketing } from './shop.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write(
    'SKIPPED: Chromium is not installed, events and the mailbox of the admin app are not tried here\n',
  );
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await fillMarketing(server, shop);
      cookie = await operatorCookie(server);
    });

    test('an event appears by itself while the page is live, and shows its data and its contact', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/events`);
      await page.getByRole('button', { name: 'wishlist-shared' }).waitFor();
      expect(await page.getByRole('button', { name: 'wishlist-shared' }).count()).toBe(1);
      await page.getByRole('switch', { name: 'Live' }).click();
      const data = { email: 'rowan@example.com', colour: 'green' };
      await shop.marketing('POST', '/events', { event_type: 'wishlist-shared', event_data: data });
      await page.getByText('"green"').waitFor();

      await page.getByRole('button', { name: 'wishlist-shared' }).first().click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('"colour": "green"').waitFor();
      await drawer.getByText('rowan@example.com', { exact: true }).waitFor();
      await drawer.getByRole('button', { name: 'All events of this contact' }).click();
      await expect.poll(() => page.getByRole('button', { name: 'wishlist-shared' }).count()).toBe(1);
      expect(new URL(page.url()).searchParams.get('contact_id')).toMatch(/\d/);
      expect(problems).toEqual([]);
    });

    test('the timeline of a contact says when an event occurred, and that it arrived later', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const day = new Date(server.clock.now().getTime() - 20 * 86_400_000).toISOString().slice(0, 10);
      const { body } = await shop.marketing('POST', '/events', {
        event_type: 'wishlist-shared',
        occurred_at: `${day} 09:30:00`,
        event_data: { email: 'past@example.com' },
      });
      const { contact_id } = body;
      await page.goto(`/admin/${shop.company_id}/contacts/${contact_id}`);
      const entry = page.getByRole('listitem').filter({ hasText: 'wishlist-shared' });
      await entry.getByText('arrived').waitFor();
      expect(await entry.locator('time').getAttribute('title')).toBe(`${day} 09:30:00 UTC`);
      expect(problems).toEqual([]);
    });

    test('suppressed addresses are listed with their reasons, found by the palette and by an address, and lifted by it', async () => {
      const person = await testPerson(server, { [shop.company_id]: 'manager' });
      const tab = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/events`);
      await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('suppr');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Suppressions', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Suppress addresses' }).click();
      await page.getByRole('dialog').getByLabel('Addresses').fill('no@example.net, never@example.net');
      await page.getByRole('dialog').getByRole('button', { name: 'Suppress addresses' }).click();
      await page.getByText('2 addresses suppressed').waitFor();
      await page.getByRole('searchbox').fill('no@example.net');
      await page.getByText('1 row').waitFor();
      await page.getByRole('cell', { name: 'Entered by hand' }).waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Lift suppressions' }).click();
      await page.getByRole('dialog').getByLabel('Addresses').fill('no@example.net');
      await page.getByRole('dialog').getByRole('button', { name: 'Lift suppressions' }).click();
      await page.getByText('1 suppression lifted').waitFor();
      expect((await shop.marketing('GET', '/suppressions?address=no@example.net')).body.pagination.total).toBe(0);
      expect(problems).toEqual([]);
    });

    test('events show when they occurred, which is what they are filtered by, and when they were received', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const day = new Date(server.clock.now().getTime() - 10 * 86_400_000).toISOString().slice(0, 10);
      const event = { event_type: 'wishlist-shared', event_data: { email: 'late@example.com' } };
      const sent = await shop.marketing('POST', '/events', { ...event, occurred_at: `${day} 12:00:00` });
      expect(sent.body).toMatchObject({ status: 'accepted' });
      await page.goto(`/admin/${shop.company_id}/events?from=${day}&to=${day}`);
      const row = page.getByRole('row').filter({ hasText: 'wishlist-shared' });
      await row.locator(`time[datetime^="${day}T12:00"]`).waitFor();
      expect(await row.locator('time').count()).toBe(2);
      const headers = await page.getByRole('columnheader').allInnerTexts();
      expect(headers).toEqual(expect.arrayContaining(['Occurred', 'Received']));
      await page.getByLabel('Occurred to').fill('2020-01-01');
      await page.getByText('No row matches these filters.').waitFor();
      expect(problems).toEqual([]);
    });

    test('a message is shown as its recipient sees it, in a frame where nothing runs', async () => {
      const { page, problems } = await openTab(browser, server, { cookie, colorScheme: null });
      await page.goto(`/admin/${shop.company_id}/mailbox`);
      await page.getByRole('link', { name: 'Your order is on its way' }).click();
      const frame = page.locator('iframe');
      const inside = page.frameLocator('iframe');
      await inside.getByRole('heading', { name: 'On its way' }).waitFor();
      expect(await frame.getAttribute('sandbox')).toBe('');
      const ground = (): Promise<string> =>
        inside.locator('body').evaluate('getComputedStyle(document.body).backgroundColor');
      expect(await ground()).toBe('rgba(0, 0, 0, 0)');
      await page.getByText('Phone', { exact: true }).click();
      await expect.poll(async () => (await frame.boundingBox())?.width).toBe(PHONE.width - 15);
      await page.getByRole('switch', { name: 'Dark' }).click();
      await expect.poll(ground).toBe('rgb(24, 24, 24)');
      await page.getByText('Headers', { exact: true }).click();
      await page.getByText('List-Unsubscribe: <https://shop.example/u/1>').waitFor();
      await page.getByText('Source', { exact: true }).click();
      await page.getByText('<h1>On its way</h1>').waitFor();

      await page.getByRole('link', { name: 'Mailbox' }).first().click();
      await page.getByRole('link', { name: 'Your parcel arrives today.' }).click();
      await page.getByRole('heading', { name: 'Your parcel arrives today.' }).waitFor();
      expect(problems).toEqual([]);
    });
  });
}
