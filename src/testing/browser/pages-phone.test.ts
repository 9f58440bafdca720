import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { findChromium, openTab, operatorCookie, PHONE, startBrowser } from './browser.ts';
import { findingsOnPages } from './every-page.ts';
import { fillMarketing, fillShop } from './shop.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write(
    'SKIPPED: Chromium is not installed, the pages of the admin app are not looked at on a phone here\n',
  );
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium, on a phone', () => {
    const server = testServer();
    let browser: Browser;
    let shop: TestCompany;

    beforeAll(async () => {
      browser = await startBrowser(path);
      shop = await server.company({ name: 'Rowan & Thistle' });
      await fillShop(shop);
      await fillMarketing(server, shop);
    });
    afterAll(() => browser?.close());

    test('every page is accessible in both themes, and as wide as its window', { timeout: 480_000 }, async () => {
      const tab = await openTab(browser, server, { cookie: await operatorCookie(server), viewport: PHONE });
      expect(await findingsOnPages(tab, shop.company_id)).toEqual({});
      expect(tab.problems).toEqual([]);
      await tab.context.close();
    });
  });
}
