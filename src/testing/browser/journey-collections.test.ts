import pino from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { applyChangedRules } from '../../commerce/collections/updates.ts';
import { drawn } from '../../commerce/pictures/testing-pictures.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { findingsEverywhere, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of collections is not tried here\n');
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
      for (const [name, price] of [
        ['Linen shirt', 40],
        ['Wool scarf', 25],
        ['Cotton socks', 6],
      ] as const) {
        await shop.commerce('POST', '/products', { name, price, stock_qty: 3 });
      }
    });

    const listed = async (slug: string): Promise<string[]> =>
      (await shop.commerce('GET', `/products?collection=${slug}`)).body.data!.map(({ name }: { name: string }) => name);

    test('products are picked by search and put in order', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/collections/new`);
      await page.getByLabel('Name').fill('Window display');
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('heading', { name: 'Window display' }).waitFor();
      for (const name of ['Linen shirt', 'Wool scarf', 'Cotton socks']) {
        await page.getByRole('searchbox', { name: 'Add a product' }).fill(name);
        await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      }
      const picture = { name: 'window.png', mimeType: 'image/png', buffer: await drawn(600, 400, { colour: 'teal' }) };
      await page.getByRole('button', { name: 'Choose from the library' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Upload pictures').setInputFiles([picture]);
      await dialog.getByRole('button', { name: 'window' }).waitFor();
      await dialog.getByLabel('Title, alternative text or tag').fill('wind');
      expect(await findingsEverywhere(tab, 'media-picker')).toEqual([]);
      await dialog.getByRole('button', { name: 'window' }).click();
      await page.getByRole('button', { name: 'Move Cotton socks up' }).click();
      await page.getByRole('button', { name: 'Remove Linen shirt' }).click();
      expect(await findingsEverywhere(tab, 'collection-by-hand')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      await page.getByText('2 products').waitFor();
      expect(await listed('window-display')).toEqual(['Cotton socks', 'Wool scarf']);
      const { image_media_id } = (await shop.commerce('GET', '/collections/window-display')).body.data;
      const [media] = (await shop.commerce('GET', '/media')).body.data;
      expect(image_media_id).toBe(media.id);
      expect(problems).toEqual([]);
    });

    test('rules select products, with their number while they are edited', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/collections/new`);
      await page.getByLabel('Name').fill('Small gifts');
      await page.getByLabel('Kind').selectOption('By rules');
      await page.getByText('Selects 3 products').waitFor();
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await page.getByLabel('What', { exact: true }).selectOption('Price');
      await page.getByLabel('Comparison').selectOption('less_than');
      await page.getByLabel('Value', { exact: true }).fill('30');
      await page.getByText('Selects 2 products').waitFor();
      expect(await findingsEverywhere(tab, 'collection-by-rules')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('heading', { name: 'Small gifts' }).waitFor();
      await page.getByText('Rules are being applied').waitFor();
      await applyChangedRules({ ...server.app, log: pino({ level: 'silent' }) })(null);
      await page.getByText('2 products', { exact: true }).waitFor();
      await page.getByLabel('Order').selectOption('Cheapest first');
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      expect(await listed('small-gifts')).toEqual(['Cotton socks', 'Wool scarf']);
      await page.goto(`/admin/${shop.company_id}/collections`);
      await page.getByRole('link', { name: 'Small gifts' }).waitFor();
      expect(problems).toEqual([]);
    });
  });
}
