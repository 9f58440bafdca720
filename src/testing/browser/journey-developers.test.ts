import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of developers is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer({ config: { allowPrivateWebhooks: true } });
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;
    let receiver: WebhookReceiver;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      const owner = await testPerson(server, { [shop.company_id]: 'owner' });
      cookie = owner.cookie.split('=')[1]!;
      receiver = await startReceiver();
    });
    afterAll(async () => {
      await receiver?.close();
    });

    test('a key is created with scopes, shown once, used, and seen to be used; then it is revoked', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/keys`);
      await page.getByRole('button', { name: 'Create a key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Till');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog
        .getByText(/at least 1|fewer than 1|must/)
        .first()
        .waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await dialog.getByLabel('products:read').check();
      await dialog.getByLabel('orders:write').check();
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Key Till' }).waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      const key = (await page.getByRole('dialog').locator('pre').textContent())!;
      await page.getByRole('button', { name: 'Done' }).click();
      expect(await page.getByText(key).count()).toBe(0);
      const ask = async (): Promise<number> =>
        (await server.request('GET', '/commerce/v1/products', { headers: { 'x-api-key': key } })).status;
      expect(await ask()).toBe(200);
      await page.reload();
      const row = page.getByRole('row').filter({ hasText: 'Till' });
      await row.getByText('products:read, orders:write').waitFor();
      await row.locator('time').waitFor();
      await row.getByRole('button', { name: 'Actions for Till' }).click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('Revoked', { exact: true }).waitFor();
      await expect.poll(ask).toBe(401);
      expect(problems).toEqual([]);
    });

    test('an endpoint is added, its failed delivery is seen with the response, and replayed', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const { url, received } = receiver;
      receiver.status = 500;
      await page.goto(`/admin/${shop.company_id}/webhooks`);
      await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Address').fill(url);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Signing secret' }).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('link', { name: url }).click();
      await page.getByRole('heading', { name: url }).waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Test sent').waitFor();
      const deliver = server.app.workers.find(({ name }) => name === 'webhook-deliveries')!;
      await deliver.runOnce();
      await expect.poll(() => received.length).toBe(1);
      // So long that nothing is tried any more.
      server.clock.advance(40 * 86_400_000);
      await deliver.runOnce();

      receiver.status = 200;
      const owner = await testPerson(server, { [shop.company_id]: 'owner' });
      const again = await openTab(browser, server, { cookie: owner.cookie.split('=')[1]! });
      await again.page.goto(`/admin/${shop.company_id}/webhooks/1?status=failed`);
      await again.page.getByText('HTTP 500').waitFor();
      // It had failed for so long that it was switched off.
      await again.page.getByRole('button', { name: 'More' }).last().click();
      await again.page.getByRole('menuitem', { name: 'Switch on' }).click();
      await again.page.getByText('Active', { exact: true }).waitFor();
      await again.page.getByLabel('Select all rows of this page').check();
      expect(await findingsEverywhere(again)).toEqual([]);
      await again.page.getByRole('button', { name: 'Send again' }).click();
      await again.page.getByText('1 delivery is sent again').waitFor();
      await deliver.runOnce();
      await expect.poll(() => received.at(-1) === received[0] && received.length > 1).toBe(true);
      await again.page.goto(`/admin/${shop.company_id}/webhooks/1?status=delivered`);
      await again.page.getByText('HTTP 200').waitFor();
      expect([...problems, ...again.problems]).toEqual([]);
    });
  });
}
