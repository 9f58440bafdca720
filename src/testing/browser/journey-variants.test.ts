import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { findingsEverywhere, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

/** Of variants: more than are shown at first. */
const FIELDS = [
  { key: 'fabric', name: 'Fabric', type: 'choice', rules: { choices: ['Linen', 'Cotton'] }, filterable: true },
  { key: 'washable', name: 'Washable', type: 'boolean' },
  { key: 'since', name: 'Since', type: 'date' },
  { key: 'thread', name: 'Thread', type: 'decimal' },
];

/** Pastes a text into the focused element. */
function paste(page: Page, text: string): Promise<unknown> {
  return page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  })()`);
}

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of variants is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
    });

    test('a product with two options is created, its prices are pasted from a spreadsheet, and a variant is archived', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      for (const field of FIELDS) await shop.commerce('POST', '/custom-fields', { on: 'variant', ...field });
      await shop.commerce('POST', '/custom-fields', { on: 'product', key: 'origin', name: 'Origin', type: 'text' });
      await page.goto(`/admin/${shop.company_id}/products/new`);
      await page.getByLabel('Name').fill('Linen shirt');
      await page.getByRole('switch', { name: 'Has variants' }).check();
      await page.getByLabel('Option 1', { exact: true }).fill('Color');
      await page.getByLabel(/^Values of option 1/).fill('Blue, Sand');
      await page.getByRole('button', { name: 'Add option' }).click();
      await page.getByLabel('Option 2', { exact: true }).fill('Size');
      await page.getByLabel(/^Values of option 2/).fill('S, M, L');
      await page.getByText('6 variants').waitFor();
      await page.getByLabel(/^Price/).fill('40');
      await page.getByLabel(/^Stock/).fill('12');
      await page.getByLabel(/^Origin/).fill('Ghent');
      await page.getByLabel(/^Thread/).fill('40');
      expect(await findingsEverywhere(tab, 'new-product-with-variants')).toEqual([]);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Linen shirt' }).waitFor();

      const cell = (name: string) => page.getByRole('textbox', { name, exact: true });
      await expect.poll(() => cell('Sand / L: Price').inputValue()).toBe('40');
      await cell('Blue / S: SKU').focus();
      await paste(page, 'LS-BS\t$35.00\t3\nLS-BM\t$38.00\t0\r\n');
      expect(await cell('Blue / M: Price').inputValue()).toBe('38.00');
      await cell('Sand / L: Price').fill('44.999');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => cell('Sand / L: Price').getAttribute('aria-invalid')).toBe('true');
      await cell('Sand / L: Price').fill('45');
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      await page.getByText('$35.00 – $45.00').waitFor();

      await page.getByRole('checkbox', { name: 'Select Sand / S' }).check();
      await page.getByRole('checkbox', { name: 'Select Sand / M' }).check();
      await page.getByRole('button', { name: 'Set values' }).click();
      await page.getByRole('dialog').getByLabel('Stock').fill('7');
      await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
      await expect.poll(() => cell('Sand / M: Stock').inputValue()).toBe('7');
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      const choice = (name: string) => page.getByRole('combobox', { name, exact: true });
      expect(await cell('Blue / S: Thread').count()).toBe(0);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Thread' }).click();
      await page.keyboard.press('Escape');
      await choice('Blue / S: Fabric').focus();
      await paste(page, 'linen\tTRUE\t2026-03-01\t1,5\nCotton\tno\tsoon\t2');
      expect(await choice('Blue / S: Washable').inputValue()).toBe('true');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => cell('Blue / M: Since').getAttribute('aria-invalid')).toBe('true');
      await cell('Blue / M: Since').fill('');
      await page.getByRole('checkbox', { name: 'Select Sand / S' }).check();
      await page.getByRole('button', { name: 'Set values' }).click();
      await page.getByRole('dialog').getByLabel('Fabric').selectOption('Cotton');
      await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
      await expect.poll(() => choice('Sand / S: Fabric').inputValue()).toBe('Cotton');
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      await page.getByRole('button', { name: 'Add missing variants' }).click();
      await page.getByText('No variant is missing.').waitFor();
      expect(await findingsEverywhere(tab, 'product-with-variants')).toEqual([]);

      await page.getByRole('link', { name: 'Sand / L' }).click();
      await page.getByRole('heading', { name: 'Linen shirt – Sand / L' }).waitFor();
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByText('Archived', { exact: true }).waitFor();
      expect(await findingsEverywhere(tab, 'variant')).toEqual([]);
      await page.getByRole('link', { name: 'Edit' }).click();
      await expect.poll(() => page.getByLabel('Position').inputValue()).toBe('6');
      expect(await page.getByLabel('Name').count()).toBe(0);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'Linen shirt', exact: true }).click();
      await page.getByText('$35.00 – $40.00').waitFor();
      await page.getByRole('link', { name: 'Edit' }).click();
      await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Linen shirt');
      expect(await page.getByLabel(/Price|SKU|Position|Stock/).count()).toBe(0);
      await page.goto(`/admin/${shop.company_id}/products`);
      await page.getByText('from $35.00').waitFor();
      await page.getByLabel('Color').selectOption({ label: 'Color: Sand (1)' });
      await page.getByLabel('Fabric').selectOption({ label: 'Fabric: Cotton (1)' });
      await expect.poll(() => page.url()).toMatch(/option\.Color=Sand.*custom\.fabric=Cotton/);
      expect(await findingsEverywhere(tab, 'products-by-facets')).toEqual([]);
      await page.reload();
      await expect.poll(() => page.getByLabel('Color').inputValue()).toBe('Sand');
      await page.getByText('from $35.00').waitFor();

      const { data } = (await shop.commerce('GET', '/products?include=variants&sort=oldest')).body;
      const stored = data.map(({ title, sku, price, stock_qty, status, custom }: Record<string, unknown>) =>
        [title, sku, price, stock_qty, status, JSON.stringify(custom)].join(' '),
      );
      expect(stored).toEqual([
        '  35 29 active {"origin":"Ghent"}',
        'Blue / S LS-BS 35 3 active {"since":"2026-03-01","fabric":"Linen","thread":1.5,"washable":true}',
        'Blue / M LS-BM 38 0 active {"fabric":"Cotton","thread":2,"washable":false}',
        'Blue / L  40 12 active {"thread":40}',
        'Sand / S  40 7 active {"fabric":"Cotton","thread":40}',
        'Sand / M  40 7 active {"thread":40}',
      ]);
      expect(problems).toEqual([]);
    });
  });
}
