import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSmtpSink } from '../../messaging/send/transports/smtp-sink.ts';
import { sharedServer, type TestCompany } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of sending accounts is not tried here\n');
}
const PASSWORD = 'a-long-password-1a2b';
const sink = await startSmtpSink({ password: PASSWORD, allowInsecureAuth: true });
afterAll(() => sink.close());

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;

    beforeAll(async () => {
      shop = await server.company({ name: 'Fernhill' });
    });

    test('an account is added, tested with what the server says, corrected and removed', async () => {
      const owner = await testPerson(server, { [shop.company_id]: 'owner' });
      const tab = await openTab(browser, server, { cookie: owner.cookie.split('=')[1]! });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/settings/accounts`);
      await page.getByText('No sending accounts yet').waitFor();
      await page.getByRole('button', { name: 'Add an account' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Our server');
      await dialog.getByRole('textbox', { name: 'Server', exact: true }).fill('127.0.0.1');
      await dialog.getByLabel('Port').fill(String(sink.port));
      await dialog.getByLabel('Encryption').selectOption('none');
      await dialog.getByLabel('User name').fill('shop');
      await dialog.getByRole('textbox', { name: 'Password' }).fill('a-wrong-password-9z8y');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Our server' }).waitFor();
      await page.getByText('…9z8y').waitFor();

      await page.getByRole('button', { name: 'Send a test through Our server' }).click();
      await dialog.getByLabel('Your e-mail address').fill('owner@example.net');
      await dialog.getByRole('button', { name: 'Send a test' }).click();
      await dialog.getByText('Authentication failed').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();

      await page.getByRole('button', { name: 'Edit Our server' }).click();
      await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
      await dialog.getByLabel('Send with this account').click({ force: true });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('…1a2b').waitFor();
      await page.getByText('E-mails are sent through this account.').waitFor();
      await page.getByRole('button', { name: 'Send a test through Our server' }).click();
      await dialog.getByLabel('Your e-mail address').fill('owner@example.net');
      await dialog.getByRole('button', { name: 'Send a test' }).click();
      await dialog.getByText('250 2.0.0 Queued').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      expect(sink.stored.map(({ to }) => to)).toEqual(['owner@example.net']);
      expect(await findingsEverywhere(tab)).toEqual([]);

      await page.getByRole('button', { name: 'Delete Our server' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No sending accounts yet').waitFor();
      expect(problems).toEqual([]);
    });
  });
}
