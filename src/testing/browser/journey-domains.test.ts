import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDns, type TestDns } from '../../messaging/sending-domains/testing-dns-server.ts';
import { leadHostsHere } from '../../messaging/testing/tracking-hosts.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of sending domains is not tried here\n');
}
const dns: TestDns = await startTestDns();
afterAll(() => dns.close());

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer({
      config: { dnsServers: [dns.address], spfInclude: null, publicUrl: 'https://go.tradeloom.example' },
    });
    const browser = testBrowser(path);
    let shop: TestCompany;

    beforeAll(async () => {
      leadHostsHere(server);
      shop = await server.company({ name: 'Fernhill' });
    });

    test('a domain is added, its records are shown, and found once they are published; then it is removed', async () => {
      const owner = await testPerson(server, { [shop.company_id]: 'owner' });
      const tab = await openTab(browser, server, { cookie: owner.cookie.split('=')[1]! });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/settings/domains`);
      await page.getByText('No sending domains yet').waitFor();
      await page.getByRole('button', { name: 'Add a domain' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Domain').fill('no domain');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('must be the name of a domain').first().waitFor();
      await dialog.getByLabel('Domain').fill('fernhill.example');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'fernhill.example' }).waitFor();
      await page.getByText('Not known here').waitFor();
      const codes = await page.locator('dd code').allTextContents();
      const [name, value] = codes.filter((text) => /_domainkey|DKIM1/.test(text));
      await page.getByRole('button', { name: 'Copy the value of the DKIM record' }).click();
      await page.getByText('Copied').first().waitFor();

      dns.zone.set(name!, ['v=DKIM1; p=']);
      await page.getByRole('button', { name: 'Check now: fernhill.example' }).click();
      await page.getByText('Wrong', { exact: true }).waitFor();
      await page.getByText('v=DKIM1; p=', { exact: true }).waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);

      dns.zone.set(name!, [value!]);
      server.clock.advance(6_000);
      await page.getByRole('button', { name: 'Check now: fernhill.example' }).click();
      await page.getByText('E-mails from this domain are signed.').waitFor();

      await page.getByRole('button', { name: 'Name a host: fernhill.example' }).click();
      const naming = page.getByRole('dialog');
      await naming.getByLabel('Host').fill('links.other.example');
      await naming.getByRole('button', { name: 'Save' }).click();
      await naming.getByText('must lie below fernhill.example').first().waitFor();
      await naming.getByLabel('Host').fill('links.fernhill.example');
      await naming.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not verified yet: set the CNAME record').waitFor();
      await page.getByRole('button', { name: 'Copy the value of the tracking host record' }).waitFor();
      expect(await page.locator('dd code').allTextContents()).toContain('go.tradeloom.example');
      expect(await findingsEverywhere(tab)).toEqual([]);
      dns.aliases.set('links.fernhill.example', 'go.tradeloom.example');
      server.clock.advance(6_000);
      await page.getByRole('button', { name: 'Check now: fernhill.example' }).click();
      await page.getByText('Links in e-mails from this domain begin with this host.').waitFor();
      await page.getByRole('button', { name: 'Remove the tracking host: fernhill.example' }).click();
      await page.getByRole('button', { name: 'Name a host: fernhill.example' }).waitFor();

      await page.getByRole('button', { name: 'Delete fernhill.example' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No sending domains yet').waitFor();
      expect(problems).toEqual([]);
    });

    test('a marketer sees the records and checks them, and changes nothing', async () => {
      await shop.marketing('POST', '/sending-domains', { domain: 'fernhill.example' });
      const marketer = await testPerson(server, { [shop.company_id]: 'marketer' });
      const { page } = await openTab(browser, server, { cookie: marketer.cookie.split('=')[1]! });
      await page.goto(`/admin/${shop.company_id}/settings/domains`);
      await page.getByRole('button', { name: 'Check now: fernhill.example' }).waitFor();
      await page.getByRole('button', { name: 'Name a host: fernhill.example' }).waitFor();
      expect(await page.getByRole('button', { name: 'Add a domain' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    });
  });
}
