import { beforeAll, describe, expect, test } from 'vitest';
import { startStripeDouble } from '../../commerce/payments/testing/stripe/double.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { createTestClock } from '../test-clock.ts';
import { findingsEverywhere, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of payment accounts is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', async () => {
    const stripe = await startStripeDouble({ clock: createTestClock() });
    const server = testServer({ config: { paymentUrls: { stripe: stripe.url, mollie: 'http://127.0.0.1:9/v2/' } } });
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
      return () => stripe.close();
    });

    test('an account is added, checked, activated and used by a payment method', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const dialog = page.getByRole('dialog');
      const { secretKey, publishableKey } = stripe.account();
      await page.goto(`/admin/${shop.company_id}/payment-methods`);
      await page.getByRole('link', { name: 'Payment accounts', exact: true }).click();
      await page.getByText('No payment accounts yet').waitFor();
      await page.getByRole('button', { name: 'New payment account' }).click();
      await dialog.getByLabel('Name').fill('Cards');
      await dialog.getByLabel('Publishable key').fill(publishableKey!);
      await dialog.getByLabel('Secret key').fill('sk_live_ofTheShop');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByText('The key must belong to the mode of the account and begin with').waitFor();
      expect(await findingsEverywhere(tab, 'payment-account-new')).toEqual([]);
      await dialog.getByLabel('Secret key').fill(secretKey);
      await written(page, () => dialog.getByRole('button', { name: 'Create' }).click());
      await page.getByText('Test', { exact: true }).waitFor();
      expect(await findingsEverywhere(tab, 'payment-accounts')).toEqual([]);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the webhook address of Cards' }).click();
      await page.getByText('The webhook address is copied.').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/\/payments\/webhooks\/[\w-]{43}$/);

      await page.getByRole('button', { name: 'Check Cards' }).click();
      await dialog.getByText('The account offers: any, card').waitFor();
      expect(await findingsEverywhere(tab, 'payment-account-check')).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('button', { name: 'Actions for Cards' }).click();
      await written(page, () => page.getByRole('menuitem', { name: 'Activate' }).click());
      await page.getByText('The account is active.').waitFor();

      await page.getByRole('link', { name: 'Payment methods', exact: true }).first().click();
      await page.getByRole('link', { name: 'New payment method' }).first().click();
      await page.getByLabel('Name').fill('Credit card');
      await page.getByLabel('Paid through').selectOption('Cards (Test)');
      await page.getByLabel('Type').waitFor({ state: 'hidden' });
      await page.getByLabel('Method of the service').fill('Card!');
      await page.getByLabel('Money is taken').selectOption('when the order is shipped');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.locator('[aria-invalid="true"]').waitFor();
      expect(await findingsEverywhere(tab, 'payment-method-of-service')).toEqual([]);
      await page.getByLabel('Method of the service').fill('card');
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByText('Stripe: card').waitFor();
      const [method] = (await shop.commerce('GET', '/payment-methods')).body.data;
      expect(method).toMatchObject({ provider: 'stripe', kind: 'card', capture: 'on_shipped', places: 'when_paid' });
      await page.getByRole('link', { name: 'Credit card' }).click();
      await page.getByLabel('Money is taken').selectOption('at once');
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      const changed = (await shop.commerce('GET', `/payment-methods/${method.id}`)).body.data;
      expect(changed).toMatchObject({ kind: 'card', capture: 'at_once', account_id: method.account_id });

      await page.getByRole('link', { name: 'Payment accounts', exact: true }).click();
      await page.getByRole('button', { name: 'Actions for Cards' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Payment methods use it').waitFor();
      await page.getByRole('button', { name: 'Actions for Cards' }).click();
      await page.getByRole('menuitem', { name: 'Deactivate' }).click();
      await written(page, () => dialog.getByRole('button', { name: 'Deactivate' }).click());
      await page.getByText('Inactive', { exact: true }).waitFor();
      expect(problems).toEqual([]);
    });
  });
}
