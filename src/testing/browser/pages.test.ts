import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { accessibilityViolations, countTransfers, operatorCookie } from './browser.ts';
import { findChromium, openTab, PHONE, type Tab, testBrowser } from './chromium.ts';
import { PAGES, pageExaminer, withoutStream } from './every-page.ts';
import { fillMarketing, fillShop } from './shop.ts';

/** Beside the stream of changes. */
const MOST_REQUESTS = 24;
const MOST_BYTES = 250_000;

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the pages of the admin app are not looked at here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      await fillShop(shop);
      await fillMarketing(server, shop);
      cookie = await operatorCookie(server);
    });

    describe('the page', () => {
      let tab: Tab;
      let examine: (address: string) => Promise<string[] | null>;

      beforeAll(async () => {
        tab = await openTab(browser, server, { cookie });
        examine = await pageExaminer(tab, shop.company_id);
      });

      test.each(PAGES)(
        '%s is accessible on a desk and on a phone, in both themes, and as wide as its window',
        async (address) => {
          expect(await examine(address)).toBeNull();
          expect(tab.problems.splice(0)).toEqual([]);
        },
      );
    });

    test('the sign-in page is accessible', async () => {
      const tab = await openTab(browser, server, { colorScheme: 'dark', viewport: PHONE });
      await tab.page.goto('/admin/sign-in');
      await tab.page.getByRole('heading').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
    });

    test('texts, page and session are asked for while the app itself is still being loaded', async () => {
      const { page } = await openTab(browser, server, { cookie, fresh: true });
      await withoutStream(page);
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/\/assets\/vendor-[^/]+\.js$/, async (route) => {
        await held;
        await route.continue();
      });
      const asked = [/\/assets\/en-[^/]+\.js$/, /\/assets\/ListPage-[^/]+\.js$/, /\/admin\/api\/session$/];
      const early = Promise.all(asked.map((url) => page.waitForRequest(url, { timeout: 60_000 })));
      await page.goto(`/admin/${shop.company_id}/orders`, { waitUntil: 'commit' });
      await early;
      release();
      await page.locator('tbody td a').first().waitFor();
    });

    // Nothing is intercepted here: Chromium would use no response that was asked for ahead.
    test('the session that was asked for ahead is not asked for again', async () => {
      const { page } = await openTab(browser, server, { cookie, fresh: true });
      const sessions: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/admin/api/session')) sessions.push(request.resourceType());
      });
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.locator('tbody td a').first().waitFor();
      expect(sessions).toHaveLength(1);
    });

    test(`the first load takes at most ${MOST_REQUESTS} requests and ${MOST_BYTES} bytes`, async () => {
      const { page } = await openTab(browser, server, { cookie, fresh: true });
      await withoutStream(page);
      const counted = await countTransfers(page);
      await page.goto(`/admin/${shop.company_id}/orders`);
      await page.waitForLoadState('networkidle');
      expect(counted.requests).toBeLessThanOrEqual(MOST_REQUESTS);
      expect(counted.bytes).toBeLessThanOrEqual(MOST_BYTES);
      expect(counted.bytes).toBeGreaterThan(50_000);
    });
  });
}
