import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { drawn, upload } from '../../commerce/pictures/testing-pictures.ts';
import { testStore } from '../../store/testing-store.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { type TestPerson, testPerson } from '../people.ts';
import { findingsEverywhere, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the descriptions of products are not tried here\n');
}

/** The text of the editor, once it is loaded. */
async function openEditor(page: Page): Promise<Locator> {
  await tool(page, 'Bold').waitFor();
  return page.getByRole('textbox', { name: 'Description' });
}

/** A button of the editor. */
function tool(page: Page, name: string): Locator {
  return page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name, exact: true });
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
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      person = await testPerson(server, { [shop.company_id]: 'owner' });
      cookie = person.cookie.split('=')[1]!;
    });

    /** Opens the form of a new product, and returns what a save sends. */
    async function openForm(page: Page, description: string) {
      const { body } = await shop.commerce('POST', '/products', { name: 'Tea', price: 9, description });
      const path = `/products/${body.data.id}`;
      await page.goto(`/admin/${shop.company_id}${path}/edit`);
      return {
        stored: async (): Promise<string> => (await shop.commerce('GET', path)).body.data.description,
        save: async (): Promise<object> => {
          let sent: object = {};
          await page.route('**/products/*', (route, request) => {
            if (request.method() === 'PATCH') sent = request.postDataJSON() as object;
            return route.continue();
          });
          await written(page, () => page.getByRole('button', { name: 'Save' }).click());
          await page.unroute('**/products/*');
          return sent;
        },
      };
    }

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

      const { page, problems } = await openTab(browser, server, { cookie });
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
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/products/${body.data.id}/edit`);
      await page.getByText('Green tea Soft & sweet from Uji', { exact: true }).waitFor();
      expect(problems).toEqual([]);
    });

    test('a description is formatted with the keyboard and the tools, and the store shows it as HTML', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/products/new`);
      await page.getByLabel('Name').fill('Gyokuro');
      await page.getByRole('textbox', { name: 'Price', exact: true }).fill('20');
      const editor = await openEditor(page);
      await editor.click();
      await page.getByLabel('Style of the paragraph').selectOption('Heading 2');
      await editor.focus();
      await page.keyboard.type('Green tea');
      await page.keyboard.press('Enter');
      await page.keyboard.type('Soft & ');
      await page.keyboard.press('Control+b');
      await page.keyboard.type('sweet');
      await page.keyboard.press('Control+b');
      await page.keyboard.press('Enter');
      await tool(page, 'Bulleted list').click();
      await page.keyboard.type('One');
      await page.keyboard.press('Enter');
      await page.keyboard.type('Two');
      await page.keyboard.press('Enter');
      await tool(page, 'Indent list item').click();
      await page.keyboard.type('Three');
      for (let i = 0; i < 3; i++) await page.keyboard.press('Enter');
      // The tools are one stop of the keyboard: the last one that was used.
      await page.keyboard.press('Shift+Tab');
      await tool(page, 'Indent list item').and(page.locator(':focus')).waitFor();
      for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
      await tool(page, 'Underline').and(page.locator(':focus')).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByLabel('Address of the link').fill('javascript:alert(1)');
      await page.keyboard.press('Enter');
      await page.getByText('Enter a web address').waitFor();
      expect(await findingsEverywhere(tab, 'product-description')).toEqual([]);
      await page.getByLabel('Address of the link').fill('example.com/uji');
      await page.keyboard.press('Enter');
      await editor.and(page.locator(':focus')).waitFor();
      expect(await editor.getByRole('link').getAttribute('href')).toBe('https://example.com/uji');
      // Of several steps, one that is undone and made again.
      await tool(page, 'Undo').click();
      await expect.poll(() => editor.getByRole('link').count()).toBe(0);
      await tool(page, 'Redo').click();
      await editor.getByRole('link').waitFor();
      await written(page, () => page.getByRole('button', { name: 'Create' }).click());

      await page.getByRole('heading', { level: 1, name: 'Gyokuro' }).waitFor();
      const id = /products\/(\d+)$/.exec(page.url())![1]!;
      const { body } = await shop.commerce('GET', `/products/${id}`);
      const html = [
        '<h2>Green tea</h2>',
        '<p>Soft &amp; <strong>sweet</strong></p>',
        '<ul><li>One</li><li>Two<ul><li>Three</li></ul></li></ul>',
        '<p><a href="https://example.com/uji">example.com/uji</a></p>',
      ].join('\n');
      expect(body.data.description).toBe(html);
      const stored = await testStore(server, shop.company_id);
      expect((await stored.get(`/products/${id}`)).body.data.description_html).toBe(html);
      expect(problems).toEqual([]);
    });

    const PLAIN = '  Fish & chips, 3 < 5\n\n\nOne &amp; two  three\n';

    test.each([PLAIN, '<p>Fine <b>tea</b></p>\r\n<ul>\n<li><p>a</p></li></ul>'])(
      'a description that is not edited is not sent, and not after all is undone: %j',
      async (description) => {
        const { page, problems } = await openTab(browser, server, { cookie });
        const form = await openForm(page, description);
        await (await openEditor(page)).focus();
        await page.keyboard.press('Control+End');
        await page.keyboard.type('!');
        const save = page.getByRole('button', { name: 'Save' });
        await expect.poll(() => save.isEnabled()).toBe(true);
        await page.keyboard.press('Control+z');
        await expect.poll(() => save.isEnabled()).toBe(false);
        await page.getByLabel('Name').fill('Other tea');
        expect(await form.save()).toEqual({ name: 'Other tea' });
        expect(await form.stored()).toBe(description);
        expect(problems).toEqual([]);
      },
    );

    test('a text without formatting stays a text when words are added, and becomes HTML with a format', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const form = await openForm(page, PLAIN);
      const editor = await openEditor(page);
      await editor.focus();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('Four');
      expect(await form.save()).toEqual({ description: `${PLAIN}Four` });
      await page.getByRole('link', { name: 'Edit' }).click();
      await openEditor(page);
      await editor.focus();
      await page.keyboard.press('Control+a');
      await tool(page, 'Italic').click();
      await tool(page, 'Edit as HTML').click();
      const source = page.getByLabel('Description');
      await source.and(page.locator(':focus')).waitFor();
      await source.fill('<p>Now <em>HTML</em></p>');
      await page.getByRole('button', { name: 'Edit as formatted text' }).click();
      await editor.locator('em').waitFor();
      await page.keyboard.type('!');
      expect(await form.save()).toEqual({ description: '<p>Now <em>HTML!</em></p>' });
      expect(problems).toEqual([]);
    });

    test('what is pasted keeps the formats of the editor alone, and loads nothing', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const asked: string[] = [];
      await page.route('https://elsewhere.example/**', (route) => {
        asked.push(route.request().url());
        return route.fulfill({ body: '' });
      });
      const form = await openForm(page, '');
      const editor = await openEditor(page);
      await editor.focus();
      const pasted = `<h3 class="x">Uji</h3><p style="color: red">Fine <b>tea</b><img src="https://elsewhere.example/a.png"></p>
        <table><tr><td>100 g</td></tr></table><a href="javascript:alert(1)">more</a>`;
      await page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/html', ${JSON.stringify(pasted)});
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }`);
      const text = ['<h3>Uji</h3>', '<p>Fine <strong>tea</strong></p>', '<p>100 g</p>', '<p>more</p>'].join('\n');
      expect(await form.save()).toEqual({ description: text });
      expect(asked).toEqual([]);
      // The console says that the policy refuses the style of what is pasted.
      expect(problems.filter((problem) => !/Applying inline style/.test(problem))).toEqual([]);
    });

    test('a description that the server refuses takes the focus and says why, and keeps what is typed', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await openForm(page, 'Tea');
      const editor = await openEditor(page);
      await editor.focus();
      await page.keyboard.insertText('x'.repeat(100_000));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('[aria-invalid="true"]:focus').and(editor).waitFor();
      const why = page.locator(`id=${await editor.getAttribute('aria-describedby')}`);
      expect(await why.textContent()).toMatch(/100[,.]?000/);
      await page.keyboard.press('Control+z');
      await expect.poll(() => editor.textContent()).toBe('Tea');
      expect(problems).toEqual([]);
    });

    test('HTML that the editor would lose is shown as HTML, says why, and loses it only on request', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const description = '<meta charset="utf-8"><p class="big">Fine tea</p><table><tr><td>100 g</td></tr></table>';
      const form = await openForm(page, description);
      const source = page.getByLabel('Description');
      await page.getByText('would lose: meta, charset, class, table, tbody, tr, td').waitFor();
      expect(await source.inputValue()).toBe(description);
      expect(await findingsEverywhere(tab, 'product-description-source')).toEqual([]);
      await page.getByLabel('Name').fill('Other tea');
      expect(await form.save()).toEqual({ name: 'Other tea' });
      expect(await form.stored()).toBe(description);
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Remove this and keep the text' }).click();
      await page.getByRole('button', { name: 'Edit as formatted text' }).click();
      await page.getByRole('textbox', { name: 'Description' }).getByText('100 g').waitFor();
      expect(await form.save()).toEqual({ description: '<p>Fine tea</p>\n<p>100 g</p>' });
      expect(problems).toEqual([]);
    });
  });
}
