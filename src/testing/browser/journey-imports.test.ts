import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of an import is not tried here\n');
}

const ROWS = 10_000;

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const folder = mkdtempSync(join(tmpdir(), 'tradeloom-journey-'));
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await shop.marketing('POST', '/lists', { name: 'Newsletter' });
      cookie = (await testPerson(server, { [shop.company_id]: 'owner' })).cookie.split('=')[1]!;
      const people = Array.from({ length: ROWS - 2 }, (_, i) => `person${i}@example.com,Person ${i},green,yes`);
      const rows = [...people, 'no address at all,Wrong,red,yes', 'person0@example.com,Again,blue,yes'];
      writeFileSync(join(folder, 'people.csv'), `Mail,Given name,Colour,Newsletter\n${rows.join('\n')}\n`);
      const order = '1,a@example.com,03/04/2026,Cup,5.00';
      writeFileSync(join(folder, 'orders.csv'), `number,email,date,item name,price\n${order}\n`);
      server.app.workers.find(({ name }) => name === 'imports')!.start();
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true, force: true });
    });

    const contacts = async () => (await shop.marketing('GET', '/contacts')).body.pagination.total as number;

    test('10,000 contacts are uploaded, mapped, checked, imported with a report, and undone', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/imports`);
      await page.getByRole('link', { name: 'Import a file' }).first().click();
      await page.getByLabel('From').selectOption('csv-contacts');
      await page.setInputFiles('input[type=file]', join(folder, 'people.csv'));
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByRole('heading', { name: 'people.csv' }).waitFor();
      await page.getByText('person0@example.com').first().waitFor();
      const field = (column: string) => page.getByLabel(`Field of ${column}`);
      expect(await field('Mail').inputValue()).toBe('email');
      expect(await field('Given name').inputValue()).toBe('first_name');
      expect(await field('Newsletter').inputValue()).toBe('email_consent');
      expect(await field('Colour').inputValue()).toBe('');
      await field('Colour').selectOption('property:colour');
      await page.getByLabel('Add to a list').selectOption({ label: 'Newsletter' });
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      const count = (name: string) => page.locator(`[data-count="${name}"] dd`);
      await page.getByRole('heading', { name: 'This will happen' }).waitFor();
      await page.getByRole('button', { name: 'Import now' }).waitFor();
      expect([await count('created').textContent(), await count('refused').textContent()]).toEqual(['9,998', '2']);
      expect(await contacts()).toBe(0);
      await page.getByText('repeats row 2').waitFor();
      await page.getByText('is no e-mail address').waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Import now' }).click();
      await page.getByRole('heading', { name: 'Result' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).waitFor({ timeout: 60_000 });
      expect(await count('created').textContent()).toBe('9,998');
      expect(await contacts()).toBe(ROWS - 2);
      expect(await findingsEverywhere(tab)).toEqual([]);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('people-refused.csv');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone', { exact: true }).first().waitFor({ timeout: 60_000 });
      await expect.poll(contacts).toBe(0);
      await page.goto(`/admin/${shop.company_id}/imports`);
      await page.getByRole('link', { name: 'people.csv' }).waitFor();
      expect(problems).toEqual([]);
    }, 180_000);

    test('a file of Excel says at the choice of the encoding why it cannot be read, and is read by the right one', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      writeFileSync(join(folder, 'excel.csv'), Buffer.from('E-Mail;Vorname\nann@example.com;J\xf6rg\n', 'latin1'));
      await page.goto(`/admin/${shop.company_id}/imports/new`);
      await page.getByLabel('From').selectOption('csv-contacts');
      await page.setInputFiles('input[type=file]', join(folder, 'excel.csv'));
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByText('The file is not in UTF-8').waitFor();
      expect(await page.getByText('This page could not be loaded').count()).toBe(0);
      await page.getByLabel('Encoding of the file').selectOption({ label: 'Windows-1252 (Excel)' });
      await page.getByText('Jörg').waitFor();
      expect(await page.getByText('The file is not in UTF-8').count()).toBe(0);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Cancelled').first().waitFor();
      expect(problems).toEqual([]);
    });

    test('a list that an import creates is internal', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      writeFileSync(join(folder, 'fair.csv'), 'email,email_consent\nfair@example.com,yes\n');
      await page.goto(`/admin/${shop.company_id}/imports/new`);
      await page.getByLabel('From').selectOption('csv-contacts');
      await page.setInputFiles('input[type=file]', join(folder, 'fair.csv'));
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByLabel('Add to a list').selectOption({ label: 'A new list' });
      await page.getByLabel('Name of the list').fill('Met at the fair');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByRole('button', { name: 'Import now' }).click();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      const { body } = await shop.marketing('GET', '/lists');
      const { list_id } = body.lists[0];
      expect(body.lists[0]).toMatchObject({ name: 'Met at the fair', internal: true, counts: { active: 1 } });
      await page.goto(`/admin/${shop.company_id}/lists/${list_id}/edit`);
      await page.getByLabel('Internal').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(/\/lists\/\d+$/);
      expect((await shop.marketing('GET', `/lists/${list_id}`)).body.internal).toBe(false);
      expect(problems).toEqual([]);
    });

    test('a date that can be read in two ways is told by the check, and chosen', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/imports/new`);
      await page.getByLabel('From').selectOption('csv-orders');
      await page.setInputFiles('input[type=file]', join(folder, 'orders.csv'));
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByText('“03/04/2026” could be read otherwise').first().waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Change columns' }).click();
      await page.getByLabel('Order of dates').selectOption('day_first');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByRole('cell', { name: 'It was chosen' }).waitFor();
      await page.getByRole('cell', { name: 'Day first: 31/12/2026' }).waitFor();
      expect(problems).toEqual([]);
    }, 60_000);
  });
}
