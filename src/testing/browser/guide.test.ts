import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGES } from '../../../docs/.vitepress/pages.ts';
import { testServer } from '../harness.ts';
import {
  accessibilityViolations,
  DESK,
  findChromium,
  openTab,
  overflowOf,
  PHONE,
  startBrowser,
  watchNetwork,
} from './browser.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the documentation is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('the documentation in Chromium', { timeout: 120_000 }, () => {
    const server = testServer();
    let browser: Browser;

    beforeAll(async () => {
      browser = await startBrowser(path);
    });
    afterAll(() => browser?.close());

    test.each([
      ['on a desk, light', { viewport: DESK, colorScheme: 'light' }],
      ['on a phone, dark', { viewport: PHONE, colorScheme: 'dark' }],
    ] as const)('every page holds to the policy and asks no other host, %s', async (_name, options) => {
      const { page, problems, context } = await openTab(browser, server, options);
      const elsewhere: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(server.origin) && !request.url().startsWith('data:'))
          elsewhere.push(request.url());
      });
      const quiet = watchNetwork(page);
      for (const { path: address } of PAGES) {
        const response = await page.goto(`/docs/guide/${address}`);
        await quiet();
        expect([address, response?.status()]).toEqual([address, 200]);
        expect([address, await overflowOf(page)]).toEqual([address, 0]);
      }
      expect(problems).toEqual([]);
      expect(elsewhere).toEqual([]);
      await context.close();
    });

    test('a search finds a guide by a word in it, by keyboard, and the page that it leads to is shown without a load', async () => {
      const { page, problems, context } = await openTab(browser, server);
      context.setDefaultTimeout(60_000);
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
      await context.close();
    });

    test.each(['', 'guides/first-flow', 'operations', 'errors'])(
      '/docs/guide/%s can be used by everybody',
      async (address) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          const tab = await openTab(browser, server, { colorScheme });
          await tab.page.goto(`/docs/guide/${address}`, { waitUntil: 'networkidle' });
          expect(await accessibilityViolations(tab)).toEqual([]);
          await tab.context.close();
        }
      },
    );
  });
}
