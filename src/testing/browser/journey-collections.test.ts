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
      const choice = { name: 'Material', type: 'choice', rules: { choices: ['cotton', 'wool'] } };
      await shop.commerce('POST', '/custom-fields', { on: 'product', key: 'material', ...choice });
      await shop.commerce('PATCH', '/products/wool-scarf', { custom: { material: 'wool' } });
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
      await page.getByRole('button', { name: 'Add a rule' }).click();
      const second = page.getByRole('group', { name: 'Rule 2' });
      await second.getByLabel('What', { exact: true }).selectOption('Material');
      await second.getByLabel('Value', { exact: true }).selectOption('wool');
      await page.getByText('Selects 1 product').waitFor();
      await page.getByText('Material is “wool”').waitFor();
      expect(await findingsEverywhere(tab, 'collection-by-rules')).toEqual([]);
      await page.getByRole('button', { name: 'Remove rule 2' }).click();
      await page.getByText('Selects 2 products').waitFor();
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('heading', { name: 'Small gifts' }).waitFor();
      await page.getByText('Rules are being applied').waitFor();
      // Rules are applied once no older transaction is open, those of other tests included.
      const apply = applyChangedRules({ ...server.app, log: pino({ level: 'silent' }) });
      const isApplied = () => page.getByText('2 products', { exact: true }).isVisible();
      await expect
        .poll(async () => {
          await apply(null);
          return isApplied();
        })
        .toBe(true);
      await page.getByLabel('Order').selectOption('Cheapest first');
      await written(page, () => page.getByRole('button', { name: 'Save' }).click());
      expect(await listed('small-gifts')).toEqual(['Cotton socks', 'Wool scarf']);
      await page.goto(`/admin/${shop.company_id}/collections`);
      await page.getByRole('link', { name: 'Small gifts' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('a promo code and a segment are for the products of a collection, and for products found by search', async () => {
      const { id } = (await shop.commerce('POST', '/collections', { name: 'Winter', kind: 'manual' })).body.data!;
      const [scarf] = (await shop.commerce('GET', '/products?search=scarf')).body.data!;
      await shop.commerce('PUT', `/collections/${id}/products`, { product_ids: [scarf.id] });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/promo-codes/new`);
      await page.getByRole('textbox', { name: 'Code' }).fill('WARM');
      await page.getByRole('textbox', { name: 'Percent' }).fill('15');
      await page.getByLabel('Applies to').selectOption('Certain products');
      await page.getByRole('searchbox', { name: 'Products' }).fill('scarf');
      await page.getByRole('button', { name: /^Wool scarf/ }).click();
      await page.getByRole('button', { name: 'Remove Wool scarf' }).waitFor();
      expect(await findingsEverywhere(tab, 'promo-code-by-product')).toEqual([]);
      await page.getByLabel('Applies to').selectOption('Certain collections');
      await page.getByLabel('Add a value').selectOption('Winter');
      await page.getByRole('button', { name: 'Remove Winter' }).waitFor();
      expect(await findingsEverywhere(tab, 'promo-code-by-collection')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByText('WARM').waitFor();
      const codes = (await shop.commerce('GET', '/promo-codes?code=WARM')).body.data!;
      expect(codes).toMatchObject([{ scope: 'collections', collection_ids: [id] }]);

      await page.goto(`/admin/${shop.company_id}/segments/new`);
      await page.getByRole('textbox', { name: 'Name' }).fill('Winter buyers');
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await page.getByLabel('What', { exact: true }).selectOption('Orders');
      await page.getByLabel('Measure').selectOption('collection bought from');
      await page.getByLabel('Value', { exact: true }).selectOption('Winter');
      await page.getByText('Has bought something from the collection “Winter”.').waitFor();
      await page.getByRole('button', { name: 'Add a rule' }).click();
      const second = page.getByRole('group', { name: 'Rule 2' });
      await second.getByLabel('What', { exact: true }).selectOption('Orders');
      await second.getByLabel('Measure').selectOption('product bought');
      await second.getByRole('searchbox', { name: 'Find a product' }).fill('scarf');
      await second.getByRole('button', { name: /^Wool scarf/ }).click();
      await page.getByText('has bought the product “Wool scarf”').waitFor();
      // While contacts are counted, the number of before is dimmed.
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
      expect(await findingsEverywhere(tab, 'segment-by-purchases')).toEqual([]);
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());
      await page.getByRole('heading', { name: 'Winter buyers' }).waitFor();
      const [segment] = (await shop.marketing('GET', '/segments')).body.segments;
      expect(segment.conditions.rules).toMatchObject([
        { field: 'purchases.collection_ids', comparison: 'equals', value: id },
        { field: 'purchases.product_ids', comparison: 'equals', value: scarf.id },
      ]);
      expect(problems).toEqual([]);
    });
  });
}
