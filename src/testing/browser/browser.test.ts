import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restingBox, watchNetwork } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the waits of its tests are not tried here\n');
}

const PAGE = `<!doctype html><p id="still">Still</p>
  <p id="moving" style="position: absolute">Moving</p><p id="hidden" hidden>Hidden</p>
  <script>
    let x = 0;
    setInterval(() => { moving.style.left = (x += 1) + 'px' }, 5);
  </script>`;

for (const path of executable === null ? [] : [executable]) {
  describe('waits for a page in Chromium', () => {
    const browser = testBrowser(path);
    let page: Page;
    let server: Server;
    let origin: string;

    beforeAll(async () => {
      server = createServer(({ url }, response) => {
        if (url === '/') response.setHeader('Content-Type', 'text/html').end(PAGE);
        else if (url === '/done') response.end('done');
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      page = (await openTab(browser, { origin })).page;
      await page.goto(`${origin}/`);
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    test('end with where an element rests, and with an error where it moves on or is not shown', async () => {
      expect((await restingBox(page.locator('#still'))).width).toBeGreaterThan(0);
      await expect(restingBox(page.locator('#moving'), 500)).rejects.toThrow(/After 500 ms .*#moving.* moves/);
      await expect(restingBox(page.locator('#hidden'), 500)).rejects.toThrow(/After 500 ms .*#hidden.* is not shown/);
    });

    test('end once the page is quiet, and with an error that names a request without a response', async () => {
      const quiet = watchNetwork(page);
      await page.evaluate("void fetch('/done')");
      await quiet();
      const neverQuiet = watchNetwork(page, 800);
      await page.evaluate("void fetch('/never').catch(() => {})");
      await expect(neverQuiet()).rejects.toThrow(`still loads: not responded to: GET ${origin}/never`);
    });

    test('end with an error where one request follows another', async () => {
      const other = (await openTab(browser, { origin })).page;
      await other.goto(`${origin}/`);
      const quiet = watchNetwork(other, 800);
      await Promise.all([
        other.waitForRequest(`${origin}/done`),
        other.evaluate("setInterval(() => void fetch('/done'), 30)"),
      ]);
      await expect(quiet()).rejects.toThrow(/After 800 ms .* still loads/);
    });
  });
}
