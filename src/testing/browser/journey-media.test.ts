import { beforeAll, describe, expect, test } from 'vitest';
import { drawn } from '../../commerce/pictures/testing-pictures.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { accessibilityViolations, operatorCookie, overflowOf } from './browser.ts';
import { findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the media library is not tried here\n');
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

    test('pictures, a PDF file and a link are added, described, and deleted from the product that shows one', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/media`);
      await page.getByRole('link', { name: 'Add media' }).first().click();
      await page.getByLabel('Choose files').setInputFiles([
        { name: 'autumn.png', mimeType: 'image/png', buffer: await drawn(600, 400, { colour: 'orange' }) },
        { name: 'sizes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n%%EOF\n') },
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('nothing to show') },
      ]);
      await page.getByText('The file must be').waitFor();
      await page.getByRole('link', { name: 'sizes' }).waitFor();
      await page.getByLabel('Web address').fill('https://video.example/brew');
      await page.getByRole('button', { name: 'Add link' }).click();
      await page.getByRole('link', { name: 'video.example' }).waitFor();
      await expect
        .poll(() =>
          page.locator('td img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
        )
        .toBe(200);
      expect(await accessibilityViolations(tab)).toEqual([]);

      await page.getByRole('link', { name: 'autumn' }).click();
      await page.getByLabel('What the picture shows').fill('Leaves on a table');
      await page.getByRole('button', { name: 'Set the focal point' }).click({ position: { x: 150, y: 100 } });
      await page.getByLabel('Tags').fill('season');
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Media' }).waitFor();
      const { body } = await shop.commerce('GET', '/media?search=season');
      const [media] = body.data;
      expect(media).toMatchObject({ title: 'autumn', alt: 'Leaves on a table', focal_point: { x: 0.25, y: 0.25 } });

      await shop.commerce('POST', '/products', { name: 'Tea', price: 4, images: [{ url: media.url }] });
      await page.goto(`/admin/${shop.company_id}/media/${media.id}`);
      await page.getByRole('link', { name: 'Tea' }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('It is shown in 1 place').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Media' }).waitFor();
      expect((await shop.commerce('GET', '/products')).body.data[0].images).toEqual([]);
      await page.setViewportSize(PHONE);
      await page.goto(`/admin/${shop.company_id}/media/new`);
      await page.getByText('or drop them here').waitFor();
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(problems.filter((problem) => !problem.includes('422'))).toEqual([]);
    });
  });
}
