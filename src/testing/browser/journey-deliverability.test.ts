import { beforeAll, describe, expect, test } from 'vitest';
import { pauseAboveLimits } from '../../messaging/deliverability/pausing.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of deliverability is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Fernhill', timeZone: 'UTC' });
      const marketer = await testPerson(server, { [shop.company_id]: 'marketer' });
      cookie = marketer.cookie.split('=')[1]!;
    });

    test('Home leads to the pause of marketing e-mail, which is ended there; a stricter limit is set', async () => {
      for (const [key, n] of [
        ['sent:email', 2_000],
        ['complained:email', 7],
      ]) {
        await server.rows(
          `insert into counter_deltas (company_id, counter, day, key, n) values ($1, 'marketing-days', $2, $3, $4)`,
          [shop.company_id, server.clock.now().toISOString().slice(0, 10), key, n],
        );
      }
      const { app } = server;
      const limits = app.config.sendingLimits;
      expect(await pauseAboveLimits({ ...app, ...app.messaging, db: app.db.chores, limits })).toBe(1);
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/home`);
      await page.getByRole('link', { name: 'Marketing e-mail is paused' }).click();
      await page.getByText('0.35% (7); limit 0.3%').waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Resume sending' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Resume sending' }).click();
      await page.getByText('Marketing e-mail is sent again.').first().waitFor();
      await page.getByText('The rates are below half of their limits.').waitFor();
      await page.getByLabel('Pause from complaints above').fill('0.2');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('0% (0); limit 0.2%').waitFor();
      expect((await shop.marketing('GET', '/sending-settings')).body.max_complaint_rate).toBe(0.002);
      expect(problems).toEqual([]);
    });

    test('a warm-up is planned, shown day by day, and ended; a limit by domain is set', async () => {
      await shop.marketing('POST', '/sending-domains', { domain: 'fernhill.example' });
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/settings/domains`);
      await page.getByRole('button', { name: 'Plan a warm-up: fernhill.example' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mails on the first day').fill('40');
      await dialog.getByLabel('Growth per day').fill('2');
      await dialog.getByRole('button', { name: 'Save' }).click();
      const plan = page.getByRole('table', { name: 'Warm-up' });
      await plan.getByText('80', { exact: true }).waitFor();
      expect(await plan.getByRole('row').count()).toBe(1 + 20);
      expect(await findingsEverywhere(tab)).toEqual([]);
      await page.getByRole('button', { name: 'End the warm-up: fernhill.example' }).click();
      await plan.waitFor({ state: 'detached' });
      await page.goto(`/admin/${shop.company_id}/settings/sending`);
      await page.getByLabel('E-mails per hour by domain').fill('gmail.com 2000\nyahoo.com: 1000');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').first().waitFor();
      expect((await shop.marketing('GET', '/sending-settings')).body.domain_limits).toEqual({
        'gmail.com': 2_000,
        'yahoo.com': 1_000,
      });
      expect(problems).toEqual([]);
    });
  });
}
