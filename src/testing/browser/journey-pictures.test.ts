import { beforeAll, describe, expect, test } from 'vitest';
import { drawn } from '../../commerce/pictures/testing-pictures.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { accessibilityViolations, operatorCookie, overflowOf } from './browser.ts';
import { findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the pictures of products are not tried here\n');
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

    const file = async (name: string, colour: string) => ({
      name,
      mimeType: 'image/png',
      buffer: await drawn(600, 400, { colour }),
    });

    test('pictures are chosen and dropped, put into an order, described, removed and shown', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/products/new`);
      await page.getByLabel('Name').fill('Vase');
      await page.getByLabel(/^Price(?! before)/).fill('12');
      const files = [await file('red.png', 'red'), await file('blue.png', 'blue')];
      await page.getByLabel('Choose pictures').first().setInputFiles(files);
      await page.getByLabel('Picture 2: what it shows').waitFor();
      const bytes = [...(await drawn(300, 500, { colour: 'green' }))];
      const dropped = await page.evaluateHandle((given) => {
        const data = new (
          globalThis as unknown as { DataTransfer: new () => { items: { add(file: File): void } } }
        ).DataTransfer();
        data.items.add(new File([new Uint8Array(given)], 'green.png', { type: 'image/png' }));
        return data;
      }, bytes);
      await page.getByText('or drop them here').dispatchEvent('drop', { dataTransfer: dropped });
      await page.getByLabel('Picture 3: what it shows').fill('A green vase');
      await page.getByRole('button', { name: 'Move picture 3 up' }).click();
      await page.getByRole('button', { name: 'Move picture 2 up' }).press('Enter');
      await expect.poll(() => page.getByLabel('Picture 1: what it shows').inputValue()).toBe('A green vase');
      await page.getByRole('img', { name: 'A green vase' }).dragTo(page.getByLabel('Picture 2: what it shows'));
      await expect.poll(() => page.getByLabel('Picture 2: what it shows').inputValue()).toBe('A green vase');
      await page.getByRole('button', { name: 'Move picture 2 up' }).click();
      await page.getByRole('button', { name: 'Remove picture 3' }).click();
      await page.getByLabel('Picture on another server').fill('https://cdn.example.com/vase.jpg');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('cdn.example.com').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.reload();
      await page.getByText('cdn.example.com').waitFor();
      await page.getByRole('button', { name: 'Create' }).click();

      await page.getByRole('heading', { name: 'Vase' }).waitFor();
      const shown = page.getByRole('img', { name: 'A green vase' });
      await expect
        .poll(() => shown.evaluate((image) => (image as unknown as { naturalHeight: number }).naturalHeight))
        .toBe(500);
      const { body } = await shop.commerce('GET', '/products');
      const { images } = body.data[0];
      expect(images.map(({ alt, is_primary }: { alt?: string; is_primary: boolean }) => [alt, is_primary])).toEqual([
        ['A green vase', true],
        [undefined, false],
        [undefined, false],
      ]);
      await page.goto(`/admin/${shop.company_id}/products`);
      const thumb = page.locator('td img');
      await expect
        .poll(() => thumb.evaluate((image) => (image as unknown as { naturalHeight: number }).naturalHeight))
        .toBe(200);
      expect(problems).toEqual([]);
    });

    test('a file that is no picture is refused at its name, and the form is usable on a phone', async () => {
      const tab = await openTab(browser, server, { cookie, viewport: PHONE, colorScheme: 'dark' });
      const { page, problems } = tab;
      const { id } = (await shop.commerce('GET', '/products')).body.data[0];
      await page.goto(`/admin/${shop.company_id}/products/${id}/edit`);
      await page.getByLabel('Picture 1: what it shows').waitFor();
      const text = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('<script>alert(1)</script>') };
      await page.getByLabel('Choose pictures').first().setInputFiles([text]);
      await page.getByText('must be a JPEG, PNG').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await page.getByText('notes.png').count()).toBe(0);
      expect(problems).toEqual([]);
    });
  });
}
