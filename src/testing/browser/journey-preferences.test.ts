import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, theme and language of a person are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
    });

    test('a person’s theme and language come along into another browser, and a change of them stays', async () => {
      const person = await testPerson(server, { [shop.company_id]: 'owner' });
      const cookie = person.cookie.split('=')[1]!;
      await person.ask('PATCH', '/me', { language: 'de', theme: 'dark' });
      const first = await openTab(browser, server, { cookie });
      const dark = first.page.locator('html[lang="de"][data-mantine-color-scheme="dark"]');
      await first.page.goto(`/admin/${shop.company_id}/orders`);
      await first.page.getByRole('heading', { name: 'Bestellungen', level: 1 }).waitFor();
      await dark.waitFor({ state: 'attached' });

      await first.page.getByRole('button', { name: 'Konto und Darstellung' }).click();
      await first.page.getByRole('menuitem', { name: 'English' }).click();
      await first.page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
      await first.page.getByRole('button', { name: 'Your account and appearance' }).click();
      await first.page.getByRole('menuitem', { name: 'Light' }).click();
      await first.page.locator('html[data-mantine-color-scheme="light"]').waitFor({ state: 'attached' });
      // Nothing that was on its way brings the former choice back.
      await first.page.waitForLoadState('networkidle');
      await first.page.reload();
      await first.page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
      await first.page.locator('html[lang="en"][data-mantine-color-scheme="light"]').waitFor({ state: 'attached' });
      await expect
        .poll(async () => (await person.ask('GET', '/me')).body)
        .toMatchObject({ language: 'en', theme: 'light' });

      const second = await openTab(browser, server, { cookie, colorScheme: 'dark' });
      await second.page.goto(`/admin/${shop.company_id}/orders`);
      await second.page.locator('html[lang="en"][data-mantine-color-scheme="light"]').waitFor({ state: 'attached' });
      expect([...first.problems, ...second.problems]).toEqual([]);
    });
  });
}
