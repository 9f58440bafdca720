import { beforeAll, describe, expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { addAuthenticator } from './authenticator.ts';
import { accessibilityViolations } from './browser.ts';
import { findChromium, openTab, type Tab, testBrowser } from './chromium.ts';

const PASSWORD = 'correct horse battery staple';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, passkeys are not tried in a browser here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let owner: Tab;

    beforeAll(async () => {
      server.origin = server.origin.replace('127.0.0.1', 'localhost');
      shop = await server.company({ name: 'Rowan & Thistle' });
      owner = await openTab(browser, server);
    });

    test('the first link sets up an owner with a password, who adds a passkey and signs in by it alone', async () => {
      const { page, problems } = owner;
      await addAuthenticator(owner);
      const token = await issueSignIn(server.app.db, server.clock.now());
      await page.goto(`/admin/sign-in?token=${token}`);
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Your name').fill('Olivia');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Home' }).waitFor();

      await page.goto(`/admin/${shop.company_id}/account`);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Laptop');
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Passkey added').waitFor();
      await page.getByRole('row').filter({ hasText: 'Laptop' }).getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Work laptop');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: 'Work laptop' }).waitFor();
      // In a page of its own: Chromium loses the device when a second inspector of the page leaves.
      const beside = { ...owner, page: await owner.context.newPage() };
      await beside.page.goto(`/admin/${shop.company_id}/account`);
      await beside.page.getByRole('cell', { name: 'Work laptop' }).waitFor();
      expect(await accessibilityViolations(beside)).toEqual([]);
      await beside.page.close();
      await page.bringToFront();

      await page.getByRole('button', { name: 'Your account and appearance' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('button', { name: 'Your account and appearance' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('the owner invites a manager, and the passkey says who it is after a while', async () => {
      const { page, problems } = owner;
      await server.rows("update admin_sessions set confirmed_at = confirmed_at - interval '20 minutes'");
      await page.goto(`/admin/${shop.company_id}/members`);
      await page.getByRole('button', { name: 'Invite' }).click();
      const dialog = page.getByRole('dialog', { name: 'Invite' });
      await dialog.getByLabel('E-mail address').fill('max@example.com');
      await dialog.getByLabel('Role').selectOption('manager');
      await dialog.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('heading', { name: 'Invitation for max@example.com' }).waitFor();
      const url = new URL((await page.getByRole('dialog').locator('pre').textContent())!);
      await page.getByRole('button', { name: 'Done' }).click();

      const manager = await openTab(browser, server);
      await manager.page.goto(url.pathname + url.search);
      await manager.page.getByLabel('Your name').fill('Max');
      await manager.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await manager.page.getByRole('button', { name: 'Create account' }).click();
      await manager.page.getByRole('heading', { name: 'Home' }).waitFor();
      expect(await manager.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
      await manager.page.goto(`/admin/${shop.company_id}/keys`);
      await manager.page.getByText('Your role does not allow this').waitFor();
      expect([...problems, ...manager.problems]).toEqual([]);
    });

    test('without a passkey on the device signing in by one says so, and the password still works', async () => {
      const tab = await openTab(browser, server);
      const { page } = tab;
      await addAuthenticator(tab);
      await page.goto('/admin/sign-in');
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('alert').getByText('did not use a passkey').waitFor();
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
    });
  });
}
