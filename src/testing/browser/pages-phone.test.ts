import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../harness.ts';
import { findChromium, openTab, operatorCookie, PHONE, startBrowser, type Tab } from './browser.ts';
import { PAGES, pageExaminer } from './every-page.ts';
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
    let tab: Tab;
    let examine: (address: string) => Promise<object | null>;

    beforeAll(async () => {
      browser = await startBrowser(path);
      shop = await server.company({ name: 'Rowan & Thistle' });
      await fillShop(shop);
      await fillMarketing(server, shop);
      tab = await openTab(browser, server, { cookie: await operatorCookie(server), viewport: PHONE });
      examine = await pageExaminer(tab, shop.company_id);
    });
    afterAll(() => browser?.close());

    test.each(PAGES)('the page %s is accessible in both themes, and as wide as its window', async (address) => {
      expect(await examine(address)).toBeNull();
      expect(tab.problems.splice(0)).toEqual([]);
    });
  });
}
