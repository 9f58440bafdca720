import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { drawn, upload } from '../../commerce/pictures/testing-pictures.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { type TestPerson, testPerson } from '../people.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the descriptions of products are not tried here\n');
}

interface Framed {
  ownerDocument: { readyState: string };
}

/** What a page may load from another host. */
const loading = (host: string): string => `
  <meta http-equiv="refresh" content="0;url=${host}/refresh">
  <link rel="stylesheet" href="${host}/style.css"><link rel="preload" as="image" href="${host}/preload.png">
  <link rel="icon" href="${host}/icon.png"><link rel="prefetch" href="${host}/prefetch">
  <style>@import "${host}/import.css"; @font-face { font-family: x; src: url(${host}/font.woff2) }
    p { background: url(${host}/background.png); font-family: x }</style>
  <p>Fine tea</p><img src="${host}/plain.png"><img srcset="${host}/set.png 1x"><img src="${host}/onerror.png" onerror="fetch('${host}/fetch')">
  <picture><source srcset="${host}/source.png"><img alt=""></picture>
  <div style="background-image: url(${host}/inline.png)">x</div><table background="${host}/table.png"><tr><td>x</td></tr></table>
  <video src="${host}/video.mp4" poster="${host}/poster.png"></video><audio src="${host}/audio.mp3"></audio>
  <svg><image href="${host}/svg.png"></image></svg><input type="image" src="${host}/input.png">
  <iframe src="${host}/frame"></iframe><object data="${host}/object"></object><embed src="${host}/embed">
  <script src="${host}/script.js"></script>`;

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let person: TestPerson;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      person = await testPerson(server, { [shop.company_id]: 'owner' });
    });

    test('a description loads the pictures of the shop, and nothing from other hosts', async () => {
      const asked: string[] = [];
      const elsewhere = createServer((request, response) => {
        asked.push(request.url!);
        response.end();
      }).listen(0, '127.0.0.1');
      onTestFinished(() => void elsewhere.close());
      await once(elsewhere, 'listening');
      const { port } = elsewhere.address() as AddressInfo;

      const bytes = await drawn(60, 40, { colour: 'red' });
      const own = (await upload(server, person, shop.company_id, bytes)).body.url;
      const description = `<h2>Tea</h2><img src="${own}" alt="Own">${loading(`http://127.0.0.1:${port}`)}${loading('https://elsewhere.example')}`;
      const product = { name: 'Tea', price: 9, description, images: [{ url: own }] };
      const { body } = await shop.commerce('POST', '/products', product);

      const { page, problems } = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      await page.route('https://elsewhere.example/**', (route) => {
        asked.push(route.request().url());
        return route.fulfill({ body: '' });
      });
      await page.goto(`/admin/${shop.company_id}/products/${body.data.id}`);
      const frame = page.frameLocator('iframe');
      await frame.getByText('Fine tea').first().waitFor();
      const shown = frame.getByRole('img', { name: 'Own' });
      await expect
        .poll(() => shown.evaluate((image) => (image as unknown as { naturalHeight: number }).naturalHeight))
        .toBe(40);
      // Playwright's own wait for a quiet network may never end where the policy refuses frames.
      const state = () => frame.locator('body').evaluate((body: object) => (body as Framed).ownerDocument.readyState);
      await expect.poll(state).toBe('complete');
      await page.waitForTimeout(500);
      expect(asked).toEqual([]);
      // The console names each thing that was not loaded.
      expect(problems.filter((problem) => !/Content Security Policy/.test(problem))).toEqual([]);
    });

    test('the form of a product shows the text of a description with tags as a search result', async () => {
      const description = '<h2>Green tea</h2><p>Soft &amp; <b>sweet</b><br>from Uji<img src="/x.png" alt=""></p>';
      const { body } = await shop.commerce('POST', '/products', { name: 'Sencha', price: 12, description });
      const { page, problems } = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      await page.goto(`/admin/${shop.company_id}/products/${body.data.id}/edit`);
      await page.getByText('Green tea Soft & sweet from Uji', { exact: true }).waitFor();
      expect(problems).toEqual([]);
    });
  });
}
