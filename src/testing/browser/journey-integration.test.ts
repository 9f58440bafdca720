import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { createOutboxWorker } from '../../outbox/worker.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const run = promisify(execFile);
const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, webhook secrets and the request log are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      // The example signs with the machine's time.
      server.clock.set(new Date().toISOString());
      shop = await server.company({ name: 'Rowan & Thistle' });
      const owner = await testPerson(server, { [shop.company_id]: 'owner' });
      cookie = owner.cookie.split('=')[1]!;
    });

    test('the example that is shown signs with the secret that is shown, and is accepted; then with the one that replaces it', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/keys`);
      await page.getByRole('link', { name: 'Incoming events' }).click();
      const example = (await page.locator('pre').first().textContent())!;
      const send = async (secret: string): Promise<string> => {
        const { stdout } = await run('bash', ['-c', example.replace('whsec_…', secret)]);
        return stdout;
      };
      await page.getByRole('button', { name: /Show secret/ }).click();
      const old = (await page.getByRole('dialog').locator('pre').textContent())!;
      expect(old).toBe(shop.webhook_secret);
      await page.getByRole('button', { name: 'Done' }).click();
      expect(JSON.parse(await send(old))).toMatchObject({ received: true, accepted: 1 });

      await page.getByRole('button', { name: 'Replace the secret' }).click();
      await page.getByRole('dialog').getByLabel('The old one ends').selectOption({ label: 'at once' });
      await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
      await page.getByRole('heading', { name: 'Webhook secret' }).waitFor();
      const fresh = (await page.getByRole('dialog').locator('pre').textContent())!;
      await page.getByRole('button', { name: 'Done' }).click();
      expect(fresh).not.toBe(old);
      await expect.poll(() => send(old)).toContain('"code":401');
      expect(JSON.parse(await send(fresh))).toMatchObject({ received: true });
      expect(problems).toEqual([]);
    });

    test('an event that marketing refused is seen with its reason, tried again, and arrives', async () => {
      await shop.commerce('POST', '/customers', { email: 'refused@example.com' });
      const worker = server.app.workers.find(({ name }) => name === 'outbox')!;
      const failing = createOutboxWorker({
        ...server.app,
        log: server.app.log.child({}, { level: 'silent' }),
        events: { storeEvents: () => Promise.reject(new RangeError('this cannot be stored')) },
        onTransferred: () => {},
      });
      while ((await failing.runOnce()) > 0);
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('link', { name: 'Shop event that marketing refused' }).click();
      const row = page.getByRole('row').filter({ hasText: 'customer_created' });
      await row.getByText('an internal error').waitFor();
      await row.getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('1 event is tried again').waitFor();
      await page.getByText('No refused events').waitFor();
      while ((await worker.runOnce()) > 0);
      const { body } = await shop.marketing('GET', '/contacts?search=refused@example.com');
      expect(body.contacts).toHaveLength(1);
      expect(problems).toEqual([]);
    });

    test('a refused request is found with its reason and its request id', async () => {
      await shop.commerce('GET', '/products');
      const { headers } = await shop.commerce('POST', '/products', { name: 'Mug', price: -1 });
      await server.app.requestLog.flush();
      const { page, problems } = await openTab(browser, server, { cookie });
      await page.goto(`/admin/${shop.company_id}/developers/requests`);
      await page.getByRole('row').filter({ hasText: '/commerce/v1/products' }).first().waitFor();
      await page.getByLabel('Status').selectOption({ label: 'Status: Refused (4xx)' });
      const row = page.getByRole('row').filter({ hasText: 'POST /commerce/v1/products' });
      await row.getByText('validation_failed').waitFor();
      await row.getByText('price').waitFor();
      await page.goto(`/admin/${shop.company_id}/developers/requests?request_id=${headers.get('x-request-id')}`);
      await row.waitFor();
      await expect.poll(() => page.getByRole('row').count()).toBe(2);
      expect(problems).toEqual([]);
    });
  });
}
