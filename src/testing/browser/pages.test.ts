import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import {
  accessibilityViolations,
  DESK,
  findChromium,
  openTab,
  operatorCookie,
  overflowOf,
  PHONE,
  startBrowser,
} from './browser.ts';
import { fillShop } from './shop.ts';

const MOST_REQUESTS = 25;
const MOST_BYTES = 250_000;

const PAGES = [
  'orders',
  'orders?status=delivered',
  'orders/1',
  'orders/print?ids=1-2',
  'products',
  'products/new',
  'products/1',
  'products/1/edit',
  'customers',
  'customers/new',
  'customers/1',
  'promo-codes',
  'promo-codes/new',
  'promo-codes/1',
  'shipping',
  'shipping/1',
  'shipping/zones/1',
  'taxes',
  'taxes/1',
  'nothing-here',
];

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the pages of the admin app are not looked at here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    let browser: Browser;
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      browser = await startBrowser(path);
      shop = await server.company({ name: 'Rowan & Thistle' });
      await fillShop(shop);
      cookie = await operatorCookie(server);
    });
    afterAll(() => browser?.close());

    test.each([
      ['light', DESK],
      ['dark', DESK],
      ['light', PHONE],
      ['dark', PHONE],
    ] as const)('every page is accessible and as wide as its window: %s, %o', async (colorScheme, viewport) => {
      const tab = await openTab(browser, server, { cookie, colorScheme, viewport });
      const found: Record<string, unknown> = {};
      for (const address of PAGES) {
        await tab.page.goto(`/admin/${shop.company_id}/${address}`);
        await tab.page.waitForLoadState('networkidle');
        const violations = await accessibilityViolations(tab);
        const overflow = await overflowOf(tab.page);
        if (violations.length > 0 || overflow > 0) found[address] = { violations, overflow };
      }
      expect(found).toEqual({});
      expect(tab.problems).toEqual([]);
      await tab.context.close();
    });

    test('the sign-in page is accessible', async () => {
      const tab = await openTab(browser, server, { colorScheme: 'dark', viewport: PHONE });
      await tab.page.goto('/admin/sign-in');
      await tab.page.getByRole('heading').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await tab.context.close();
    });

    test(`the first load takes at most ${MOST_REQUESTS} requests and ${MOST_BYTES} bytes`, async () => {
      const { page, context } = await openTab(browser, server, { cookie });
      const devtools = await context.newCDPSession(page);
      await devtools.send('Network.enable');
      let requests = 0;
      let bytes = 0;
      devtools.on('Network.requestWillBeSent', () => requests++);
      devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.waitForLoadState('networkidle');
      expect(requests).toBeLessThanOrEqual(MOST_REQUESTS);
      expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
      expect(bytes).toBeGreaterThan(50_000);
      await context.close();
    });
  });
}
