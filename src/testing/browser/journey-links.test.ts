import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the check of links and pictures is not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let web: Server;
    let called: string[] = [];

    beforeAll(async () => {
      web = createServer(({ url }, response) => {
        called.push(url!);
        if (url === '/gone') response.writeHead(404);
        if (url === '/large.png') response.writeHead(200, { 'content-type': 'image/png', 'content-length': 2_400_000 });
        response.end();
      });
      await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    });
    afterAll(async () => {
      web.close();
    });

    test('links and pictures are called when a person asks for it, in the editor and before a campaign is sent', async () => {
      const shop = await server.company({ name: 'Rowan & Thistle' });
      const person = await testPerson(server, { [shop.company_id]: 'marketer' });
      const tab = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      const { page, problems } = tab;
      const well = async (name: string): Promise<void> => {
        // Else the bar at the top covers half of what is scrolled below it.
        await page.evaluate('scrollTo(0, 0)');
        expect(await findingsEverywhere(tab, name)).toEqual([]);
      };
      const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
      const content = `<p>Hi <a href="${origin}/ok">Shop</a> <a href="${origin}/gone">Sale</a>
        <a href="http://127.0.0.1:9/">Closed</a> <a href="${origin}/{{ contact.first_name }}">Yours</a>
        <img src="${origin}/large.png" alt="Tea"> <a href="{{ unsubscribe_url }}">Out</a></p>`;
      const { template_id } = (await shop.marketing('POST', '/templates', { name: 'Spring', subject: 'Hi', content }))
        .body;

      await page.goto(`/admin/${shop.company_id}/templates/${template_id}`);
      const button = page.getByRole('button', { name: 'Check links and pictures' });
      await button.waitFor();
      // Nothing is called before somebody asks for it.
      expect(called).toEqual([]);
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByText('3 addresses have problems:').waitFor();
      const row = (text: string) => page.getByRole('listitem').filter({ hasText: text });
      await row('/gone').getByText('There is no such page: the response has the status 404.').waitFor();
      await row('http://127.0.0.1:9/').getByText('The server accepts no connections.').waitFor();
      await row('/large.png').getByText('The picture has 2,400 kB.').waitFor();
      await page.getByText('1 responds, 2 not checked').click();
      await row('/ok').getByText('Responds').waitFor();
      await row('contact.first_name').getByText('its variables are empty in this preview').waitFor();
      await row('unsubscribe_url').getByText('calling it could unsubscribe').waitFor();
      await well('editor');

      const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
      const mail = { name: 'Spring', type: 'email', template_id, list_id };
      const { campaign_id } = (await shop.marketing('POST', '/campaigns', mail)).body;
      called = [];
      await page.goto(`/admin/${shop.company_id}/campaigns/${campaign_id}/edit?step=check`);
      await button.click();
      await page.getByText('3 addresses have problems:').waitFor();
      expect(called.sort()).toEqual(['/gone', '/gone', '/large.png', '/ok']);
      await well('check');

      await person.ask('PATCH', '/me', { language: 'de' });
      await page.reload();
      await page.getByRole('button', { name: 'Links und Bilder prüfen' }).click();
      await row('/gone').getByText('Die Seite gibt es nicht').waitFor();
      await well('check-de');
      // A preview shows no pictures by http, and says so to the console.
      expect(problems.filter((one) => !one.includes('/large.png'))).toEqual([]);
    });
  });
}
