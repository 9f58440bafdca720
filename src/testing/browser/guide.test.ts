import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../../docs/.vitepress/pages.ts';
import { sharedServer } from '../harness.ts';
import { accessibilityViolations, COLOUR_RULES, overflowOf, settled, watchNetwork } from './browser.ts';
import { DESK, findChromium, openTab, PHONE, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the documentation is not tried here\n');
}

/** The pages in groups, each of which takes a tenth of a test's time. */
const AT_ONCE = 10;
const GROUPS = Array.from({ length: Math.ceil(PAGES.length / AT_ONCE) }, (_, i) => {
  const first = i * AT_ONCE;
  const pages = PAGES.slice(first, first + AT_ONCE);
  return { first: first + 1, last: first + pages.length, pages };
});

/** The dark theme, as the system under the page asks for it. */
async function dark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html.dark').waitFor({ state: 'attached' });
  await settled(page);
}

for (const path of executable === null ? [] : [executable]) {
  describe('the documentation in Chromium', { timeout: 120_000 }, () => {
    const server = sharedServer();
    const browser = testBrowser(path);

    test.each(GROUPS)(
      'pages $first to $last hold to the policy, ask no other host, and are as wide as their window on a desk and on a phone',
      async ({ pages }) => {
        const { page, problems } = await openTab(browser, server);
        const elsewhere: string[] = [];
        page.on('request', (request) => {
          if (!request.url().startsWith(server.origin) && !request.url().startsWith('data:'))
            elsewhere.push(request.url());
        });
        const quiet = watchNetwork(page);
        for (const { path: address } of pages) {
          await page.setViewportSize(DESK);
          await page.emulateMedia({ colorScheme: 'light' });
          const response = await page.goto(`/docs/guide/${address}`);
          await quiet();
          expect([address, response?.status()]).toEqual([address, 200]);
          expect([address, await overflowOf(page)]).toEqual([address, 0]);
          await page.setViewportSize(PHONE);
          await dark(page);
          await quiet();
          expect([address, await overflowOf(page)]).toEqual([address, 0]);
        }
        expect(problems).toEqual([]);
        expect(elsewhere).toEqual([]);
      },
    );

    test('a search finds a guide by a word in it, by keyboard, and the page that it leads to is shown without a load', async () => {
      const { page, problems } = await openTab(browser, server);
      page.setDefaultTimeout(60_000);
      await page.goto('/docs/guide/', { waitUntil: 'networkidle' });
      // Vue says so on the element when it has taken the page over, and with it the keyboard.
      await expect.poll(() => page.evaluate('document.querySelector("#app").__vue_app__ !== undefined')).toBe(true);
      await page.keyboard.press('Control+k');
      await page.getByRole('searchbox').or(page.locator('#localsearch-input')).first().fill('quiet hours');
      await page.locator('#localsearch-list .result').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname !== '/docs/guide/');
      await page.locator('.vp-doc h1').waitFor();
      expect(problems).toEqual([]);
    });

    test.each(['', 'guides/first-flow', 'operations', 'errors'])(
      '/docs/guide/%s can be used by everybody',
      async (address) => {
        const tab = await openTab(browser, server);
        const quiet = watchNetwork(tab.page);
        await tab.page.goto(`/docs/guide/${address}`);
        await quiet();
        expect(await accessibilityViolations(tab)).toEqual([]);
        await dark(tab.page);
        expect(await accessibilityViolations(tab, COLOUR_RULES)).toEqual([]);
      },
    );
  });
}
