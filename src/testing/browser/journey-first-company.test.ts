import { describe, expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, an installation without a company is not looked at here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('an installation without a company', () => {
    const server = testServer();
    const browser = testBrowser(path);

    test('tells its owner how to create the first one, and goes on once it is there', async () => {
      const token = await issueSignIn(server.app.db, server.clock.now());
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      await page.goto(`/admin/sign-in?token=${token}`);
      await page.getByLabel('E-mail address').fill('olivia@example.com');
      await page.getByLabel('Your name').fill('Olivia');
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'There is no company yet' }).waitFor();
      await page.getByText('tradeloom companies create --name').waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await server.company({ name: 'Rowan & Thistle' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('a person who left the only company may ask for an invitation, or sign out', async () => {
      const cookie = (await testPerson(server, {})).cookie.split('=')[1]!;
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto('/admin/');
      await page.getByText('Ask an owner to invite you.').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('what a viewer may not change is read as easily as text', async () => {
      const shop = await server.company({ name: 'Rowan & Thistle' });
      const viewer = await testPerson(server, { [shop.company_id]: 'viewer' });
      const { page, problems } = await openTab(browser, server, { cookie: viewer.cookie.split('=')[1]! });
      await page.goto(`/admin/${shop.company_id}/settings/company`);
      const name = page.getByLabel('Name');
      await name.waitFor();
      expect(await name.isDisabled()).toBe(true);
      const shown = await page.evaluate(`[document.body, document.querySelector('input[name=name]')].map((one) => {
        const { color, opacity } = getComputedStyle(one);
        return color + ' ' + opacity;
      })`);
      expect(new Set(shown as string[]).size).toBe(1);
      expect(problems).toEqual([]);
    });
  });
}
