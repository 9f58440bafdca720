import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestCompany } from '../harness.ts';
import { accessibilityViolations, operatorCookie, overflowOf } from './browser.ts';
import { DESK, findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the e-mail editor is not tried here\n');
}
/** A folder for pictures of the editor, to be looked at. */
const shots = process.env.EDITOR_SHOTS;
const shoot = async (page: Page, name: string): Promise<void> => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
};

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

interface Look {
  isDark: boolean;
  /** Of every element: its text, its place, and the size of its font. */
  shape: unknown[];
  /** Backgrounds of the whole width. */
  grounds: string[];
  /** Of texts. */
  colors: string[];
}
/** Describes the page in a frame. */
const LOOK = `(() => {
  const all = [...document.body.querySelectorAll('*')];
  const lines = all.filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  return {
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
    shape: all.map((one) => [one.tagName, one.innerText, JSON.stringify(one.getBoundingClientRect()), getComputedStyle(one).fontSize]),
    grounds: [document.body, ...document.body.querySelectorAll(':scope > div')].map((one) => getComputedStyle(one).backgroundColor),
    colors: lines.map((one) => getComputedStyle(one).color),
  };
})()`;

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await shop.commerce('POST', '/products', { name: 'Assam tea', price: 12.5 });
      await shop.marketing('POST', '/contacts', { first_name: 'Ada', email: 'ada@example.com' });
      cookie = await operatorCookie(server);
    });

    const blocksOf = (page: Page) =>
      page
        .getByRole('list', { name: 'Blocks of the e-mail' })
        .locator('> li > button')
        .allTextContents()
        .then((all) => all.map((text) => text.split(':')[0]));

    test('changes that a colleague saved meanwhile are replaced only after a question: blocks, templates and campaigns', async () => {
      const design = { blocks: [{ id: 'a', type: 'text', text: 'Mine' }] };
      const content = { subject: 'First', content: '<p>Hello</p>' };
      const made = async (at: string, body: object) => (await shop.marketing('POST', at, body)).body;
      const blocks = (await made('/templates', { name: 'Blocks', subject: 'First', design })).template_id;
      const plain = (await made('/templates', { name: 'Plain', ...content })).template_id;
      const campaign = (await made('/campaigns', { name: 'Sale', type: 'email', ...content })).campaign_id;
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      for (const [place, record, save] of [
        [`templates/${blocks}`, `/templates/${blocks}`, 'Save'],
        [`templates/${plain}`, `/templates/${plain}`, 'Save'],
        [`campaigns/${campaign}/edit?step=what`, `/campaigns/${campaign}`, 'Continue'],
      ] as const) {
        const subject = async () => (await shop.marketing('GET', record)).body.subject;
        await page.goto(`/admin/${shop.company_id}/${place}`);
        await page.getByLabel('Subject').fill('Mine');
        expect((await shop.marketing('PATCH', record, { subject: 'Theirs' })).status).toBe(200);
        await page.getByRole('button', { name: save, exact: true }).click();
        const question = page.getByRole('dialog');
        await question.getByText('changed meanwhile').waitFor();
        await question.getByRole('button', { name: 'Cancel' }).click();
        expect([place, await subject()]).toEqual([place, 'Theirs']);
        await page.getByRole('button', { name: save, exact: true }).click();
        await question.getByRole('button', { name: 'Replace theirs' }).click();
        await expect.poll(subject).toBe('Mine');
        await page.waitForLoadState('networkidle');
      }
      // A colleague's save between the comparison and the save: the server refuses, and the question follows.
      let between = 0;
      await page.route(`**/templates/${plain}`, async (route) => {
        if (route.request().method() === 'PATCH' && between++ === 0)
          await shop.marketing('PATCH', `/templates/${plain}`, { subject: 'In between' });
        await route.continue();
      });
      await page.goto(`/admin/${shop.company_id}/templates/${plain}`);
      await page.getByLabel('Subject').fill('Late');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog').getByText('changed meanwhile').waitFor();
      expect((await shop.marketing('GET', `/templates/${plain}`)).body.subject).toBe('In between');
      await page.getByRole('dialog').getByRole('button', { name: 'Replace theirs' }).click();
      await expect.poll(async () => (await shop.marketing('GET', `/templates/${plain}`)).body.subject).toBe('Late');
      await page.unroute(`**/templates/${plain}`);
      expect(between).toBe(2);
      await page.waitForLoadState('networkidle');
      // Nobody else saved: no question.
      await page.goto(`/admin/${shop.company_id}/templates/${blocks}`);
      await page.getByLabel('Subject').fill('Again');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect.poll(async () => (await shop.marketing('GET', `/templates/${blocks}`)).body.subject).toBe('Again');
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('an e-mail is built by mouse, previewed, corrected by its warnings, tested and found in the mailbox', async () => {
      const { page, problems, context } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/templates/new`);
      await page.getByRole('link', { name: 'Build with blocks' }).click();
      // The page before has the same fields, until this one is loaded.
      const list = page.getByRole('list', { name: 'Blocks of the e-mail' });
      await list.waitFor();
      await page.getByLabel('Name').fill('Spring');
      await page.getByLabel('Subject').fill('Hello {{ contact.firstname }}');
      const preview = page.frameLocator('iframe');
      await preview.getByText('Hi there,').waitFor();
      await page.getByText('Did you mean contact.first_name?').waitFor();
      await shoot(page, 'new-1280');

      // A button is dragged before the first block, a text moved below it.
      await page.getByRole('button', { name: 'Button', exact: true }).dragTo(list.locator('[data-place="0"]'));
      await page.getByRole('button', { name: 'Button: Shop now' }).waitFor();
      expect(await blocksOf(page)).toEqual(['Button', 'Text', 'Text', 'Footer']);
      await page.getByRole('button', { name: 'Button: Shop now' }).dragTo(list.locator('[data-place="3"]'));
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Text', 'Button', 'Footer']);
      await page.getByText('A link leads nowhere.').waitFor();
      await page.getByLabel('Link', { exact: true }).fill('https://shop.example/spring');
      await page.getByText('A link leads nowhere.').waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Product', exact: true }).click();
      await page.getByLabel('Find a product').fill('assam');
      await page.getByRole('button', { name: 'Assam tea' }).click();
      await preview.getByText('Assam tea').waitFor();

      await page.getByRole('button', { name: /^Text: A title/ }).click();
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Spring for ');
      await page.getByRole('button', { name: 'Insert variable' }).last().click();
      await page.getByLabel('If it is empty').fill('you');
      await page.getByRole('button', { name: 'Insert', exact: true }).click();
      await preview.getByText('Spring for you').waitFor();
      await page.getByLabel('Preview as a contact').fill('ada');
      await page.getByRole('button', { name: 'Ada' }).click();
      await preview.getByText('Spring for Ada').waitFor();
      await page.getByLabel('Subject').fill('Hello {{ contact.first_name }}');
      await page.getByText('Did you mean').waitFor({ state: 'detached' });
      await page.locator('label').filter({ hasText: 'MJML' }).click();
      await page.getByText('<mj-body').waitFor();
      await page.locator('label').filter({ hasText: 'Desktop' }).click();
      expect(await accessibilityViolations({ page, context, problems })).toEqual([]);
      await shoot(page, 'built-1280');

      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Spring', exact: true, level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByRole('dialog').getByLabel('To').fill('me@example.com');
      await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('The test is on its way').waitFor();
      const sender = server.app.workers.find((one) => one.name === 'sender')!;
      while ((await sender.runOnce()) > 0);
      await page.goto(`/admin/${shop.company_id}/mailbox`);
      await page.getByRole('link', { name: /Hello/ }).first().click();
      await page.frameLocator('iframe').getByText('Spring for you').waitFor();
      await page.frameLocator('iframe').getByText('Assam tea').waitFor();
      await shoot(page, 'mailbox-1280');
      expect(problems).toEqual([]);
    });

    test('an e-mail is built by keyboard alone, undone and done again', async () => {
      const { page, problems } = await openTab(browser, server, { cookie, viewport: DESK });
      await page.goto(`/admin/${shop.company_id}/templates/new/blocks`);
      await page.getByLabel('Name').fill('Keys');
      await page.getByRole('button', { name: 'Columns', exact: true }).press('Enter');
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Text', 'Columns', 'Footer']);
      await page.getByRole('button', { name: 'Add to column 2' }).press('Enter');
      await page.getByRole('button', { name: 'Divider', exact: true }).press('Enter');
      await page
        .getByRole('list', { name: 'Column 2' })
        .getByRole('button', { name: /^Divider/ })
        .waitFor();
      const columns = page.getByRole('button', { name: 'Columns: Columns' });
      await columns.press('Enter');
      await columns.press('Alt+ArrowUp');
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Columns', 'Text', 'Footer']);
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Columns');
      await page.keyboard.press('Delete');
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Text', 'Footer']);
      await page.keyboard.press('Control+z');
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Columns', 'Text', 'Footer']);
      await page.keyboard.press('Control+z');
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Text', 'Columns', 'Footer']);
      await page.getByRole('button', { name: 'Redo' }).press('Enter');
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Columns', 'Text', 'Footer']);
      await page.getByRole('button', { name: 'Save' }).press('Enter');
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
      await page.reload();
      await expect.poll(() => blocksOf(page)).toEqual(['Text', 'Columns', 'Text', 'Footer']);
      expect(problems).toEqual([]);
    });

    test('a grid shows best sellers of a category in the preview, and says what stands in for a list without products', async () => {
      for (const [colorScheme, viewport] of [
        ['light', DESK],
        ['dark', PHONE],
      ] as const) {
        const tab = await openTab(browser, server, { cookie, colorScheme, viewport });
        const { page } = tab;
        await page.goto(`/admin/${shop.company_id}/templates/new/blocks`);
        const name = `Grid ${viewport.width}`;
        await page.getByLabel('Name').fill(name);
        await page.getByLabel('Subject').fill('Hello');
        await page.getByRole('button', { name: 'Product grid', exact: true }).first().click();
        await page.getByLabel('Products', { exact: true }).selectOption('Best sellers');
        const preview = page.frameLocator('iframe');
        await preview.getByText('Sample product 6').waitFor();
        await preview.getByText('Shop now').first().waitFor();
        await page.getByLabel('Number of products').fill('2');
        await preview.getByText('Sample product 3').waitFor({ state: 'detached' });
        await page.getByLabel('Category').fill('Green Tea');
        await page.getByLabel('Products in a row').selectOption('2');
        await page.getByLabel('Best sellers instead').check();
        expect(await accessibilityViolations(tab)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
        await shoot(page, `grid-${colorScheme}-${viewport.width}`);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        const { body } = await shop.marketing('GET', '/templates');
        const { template_id: id } = body.templates.find((one: { name: string }) => one.name === name);
        const { body: saved } = await shop.marketing('GET', `/templates/${id}`);
        expect(saved.design.blocks).toContainEqual(
          expect.objectContaining({
            type: 'product_grid',
            source: 'best_sellers',
            category: 'green-tea',
            count: 2,
            per_row: 2,
            fallback: 'best_sellers',
          }),
        );
        expect(saved.content).toContain(
          "best_sellers_by_category['green-tea'] | default: recommendations.best_sellers",
        );
        await page.getByRole('button', { name: /^Product grid: / }).click();
        await page.getByLabel('Products', { exact: true }).selectOption('Chosen products');
        await page.getByLabel('Find a product').waitFor();
        expect(tab.problems).toEqual([]);
      }
    });

    test('the dark preview has the texts, sizes and pictures of the light one, in the colors of a mail program in dark mode', async () => {
      const design = {
        blocks: [
          { id: 'a', type: 'text', text: 'Spring [sale](https://shop.example/)' },
          { id: 'b', type: 'picture', src: 'https://shop.example/tea.png', alt: 'Tea', width: 300 },
          { id: 'c', type: 'footer', text: 'Main St 1' },
        ],
      };
      const html =
        '<html><head><meta name="color-scheme" content="light dark"></head><body><h1>Spring</h1><p>Sale</p></body></html>';
      const templates = { blocks: { design }, html: { content: html }, plain: { content: '<h1>Spring</h1>' } };
      for (const theme of ['light', 'dark'] as const) {
        const { page, problems } = await openTab(browser, server, { cookie, colorScheme: null });
        await page.goto(`/admin/${shop.company_id}/templates`);
        await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', '${theme}')`);
        await page.route('https://shop.example/*', (route) => route.fulfill({ contentType: 'image/png', body: PIXEL }));
        for (const [kind, fields] of Object.entries(templates)) {
          const made = await shop.marketing('POST', '/templates', { name: kind, subject: 'Hello', ...fields });
          await page.goto(`/admin/${shop.company_id}/templates/${made.body.template_id}`);
          await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' });
          const frame = page.frameLocator('iframe');
          await frame.getByText('Spring').waitFor();
          const loaded = '[...document.images].every((one) => one.complete)';
          await expect.poll(() => frame.locator('body').evaluate(loaded)).toBe(true);
          const looked = async () => (await frame.locator('body').evaluate(LOOK)) as Look;
          const light = await looked();
          await page.getByRole('switch', { name: 'Dark' }).click();
          await expect.poll(async () => (await looked()).isDark).toBe(true);
          const dark = await looked();
          const at = `${kind} in the ${theme} theme`;
          expect([at, light.isDark]).toEqual([at, false]);
          expect([at, dark.shape]).toEqual([at, light.shape]);
          if (kind === 'blocks') expect([at, ...new Set(dark.grounds)]).toEqual([at, 'rgb(22, 24, 29)']);
          const hint = page.getByText('This e-mail has no styles for dark mode.');
          expect([at, await hint.count()]).toEqual([at, kind === 'plain' ? 1 : 0]);
          expect([at, dark.colors.some((color) => light.colors.includes(color))]).toEqual([at, kind === 'plain']);
        }
        expect(problems).toEqual([]);
      }
    });

    test.each([
      ['light', PHONE],
      ['dark', PHONE],
      ['dark', DESK],
    ] as const)('the editor is accessible and as wide as its window: %s, %o', async (colorScheme, viewport) => {
      const tab = await openTab(browser, server, { cookie, colorScheme, viewport });
      await tab.page.goto(`/admin/${shop.company_id}/templates/new/blocks`);
      await tab.page.frameLocator('iframe').getByText('Hi there,').waitFor();
      for (const name of ['Product grid', 'Social links', 'Coupon', 'Columns', 'Picture']) {
        await tab.page.getByRole('button', { name, exact: true }).first().click();
        expect(await accessibilityViolations(tab), name).toEqual([]);
      }
      expect(await overflowOf(tab.page)).toBe(0);
      await shoot(tab.page, `${colorScheme}-${viewport.width}`);
      expect(tab.problems).toEqual([]);
    });
  });
}
