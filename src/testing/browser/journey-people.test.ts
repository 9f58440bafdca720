import { beforeAll, describe, expect, test } from 'vitest';
import { issueSignIn } from '../../access/sessions.ts';
import { stepOf, totpAt } from '../../lib/totp.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { findingsEverywhere } from './browser.ts';
import { findChromium, openTab, type Tab, testBrowser } from './chromium.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const PASSWORD = 'correct horse battery staple';
/** What an authenticator app shows for a secret in base32. */
function codeOf(secret: string, now: Date): string {
  const bits = [...secret].map((one) => ALPHABET.indexOf(one).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2));
  return totpAt(Buffer.from(bytes), stepOf(now));
}

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journeys of people and roles are not tried here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let owner: Tab;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      const token = await issueSignIn(server.app.db, server.clock.now());
      owner = await openTab(browser, server);
      await owner.page.goto(`/admin/sign-in?token=${token}`);
      await owner.page.getByLabel('E-mail address').fill('olivia@example.com');
      await owner.page.getByLabel('Your name').fill('Olivia');
      await owner.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await owner.page.getByRole('button', { name: 'Create account' }).click();
      await owner.page.getByRole('heading', { name: 'Home' }).waitFor();
    });

    test('an owner invites a manager, who signs in, works, and may not change who belongs to the company', async () => {
      const { page, problems } = owner;
      await page.goto(`/admin/${shop.company_id}/members`);
      await page.getByRole('button', { name: 'Invite' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail address').fill('not an address');
      await dialog.getByLabel('Role').selectOption('manager');
      await dialog.getByRole('button', { name: 'Invite' }).click();
      await expect.poll(() => dialog.getByLabel('E-mail address').getAttribute('aria-invalid')).toBe('true');
      expect(await findingsEverywhere(owner)).toEqual([]);
      await dialog.getByLabel('E-mail address').fill('max@example.com');
      await dialog.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('heading', { name: 'Invitation for max@example.com' }).waitFor();
      expect(await findingsEverywhere(owner)).toEqual([]);
      const url = (await page.getByRole('dialog').locator('pre').textContent())!;
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('cell', { name: 'max@example.com' }).waitFor();

      const manager = await openTab(browser, server);
      await manager.page.goto(new URL(url).pathname + new URL(url).search);
      await manager.page.getByLabel('Your name').fill('Max');
      expect(await findingsEverywhere(manager)).toEqual([]);
      await manager.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await manager.page.getByRole('button', { name: 'Create account' }).click();
      await manager.page.getByRole('heading', { name: 'Home' }).waitFor();
      await manager.page.getByRole('link', { name: 'Settings' }).click();
      await manager.page.getByRole('link', { name: 'Members' }).click();
      await manager.page.getByText('olivia@example.com').waitFor();
      expect(await findingsEverywhere(manager)).toEqual([]);
      expect(await manager.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
      expect(await manager.page.getByRole('button', { name: 'Remove' }).count()).toBe(0);

      await page.reload();
      const max = page.getByRole('row').filter({ hasText: 'Max' });
      await max.getByRole('button', { name: 'Sessions' }).click();
      const sessions = page.getByRole('dialog', { name: 'Sessions of Max' });
      await expect.poll(() => sessions.locator('tbody tr').count()).toBe(1);
      expect(await findingsEverywhere(owner)).toEqual([]);
      await sessions.getByRole('button', { name: 'End all sessions' }).click();
      await sessions.getByText('No sessions').waitFor();
      await page.keyboard.press('Escape');
      await manager.page.reload();
      await manager.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await manager.page.getByLabel('E-mail address').fill('max@example.com');
      await manager.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await manager.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await manager.page.getByText('Rowan & Thistle').first().waitFor();
      await max.getByRole('button', { name: 'Change role' }).click();
      const roleOfMax = page.getByRole('dialog', { name: 'Role of Max' });
      await roleOfMax.getByLabel('Role').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await roleOfMax.waitFor({ state: 'detached' });
      await max.getByRole('button', { name: 'Change role' }).click();
      await roleOfMax.getByLabel('Role').selectOption('viewer');
      await roleOfMax.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.goto(`/admin/${shop.company_id}/audit?action=member.`);
      const row = page.getByRole('row').filter({ hasText: 'Member: changed' });
      await row.getByText('manager', { exact: true }).waitFor();
      await row.getByText('viewer', { exact: true }).waitFor();

      await page.goto(`/admin/${shop.company_id}/members`);
      await page.getByRole('row').filter({ hasText: 'Max' }).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Removed', { exact: true }).waitFor();
      await manager.page.reload();
      await expect.poll(() => manager.page.getByText('Rowan & Thistle').count()).toBe(0);

      await page.getByRole('link', { name: 'Audit log' }).click();
      const who = page.getByLabel('Who', { exact: true });
      await who.selectOption({ label: 'Who: Max (removed)' });
      await expect.poll(() => new URL(page.url()).searchParams.get('actor')).toMatch(/^admin:\d+$/);
      await expect.poll(() => page.getByRole('row').filter({ hasText: 'Olivia' }).count()).toBe(0);
      await page.getByRole('row').filter({ hasText: 'Max' }).first().waitFor();
      // With many, the choices are narrowed by typing.
      await server.rows(
        `with people as (
           insert into persons (email, name, created_at)
           select 'clerk-' || n || '@example.com', 'Clerk ' || n, now() from generate_series(1, 1100) n returning id)
         insert into members (company_id, person_id, role, created_at) select $1, id, 'fulfilment', now() from people`,
        [shop.company_id],
      );
      await page.reload();
      await page.getByLabel('Search: Who').fill('clerk 1099');
      await expect
        .poll(() => who.locator('option').allTextContents())
        .toEqual(['Who: any', 'Who: Clerk 1099', 'Who: Max (removed)']);
      expect([...problems, ...manager.problems]).toEqual([]);
    });

    test('an authenticator app is set up by its code, asked for at the next sign-in, and other sessions are ended', async () => {
      const { page, problems } = owner;
      await page.goto(`/admin/${shop.company_id}/account`);
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
      const dialog = page.getByRole('dialog');
      const secret = /type: (\w+)/.exec((await dialog.getByText('Or type:').textContent())!)![1]!;
      await dialog.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
      await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, server.clock.now()));
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
      expect(await findingsEverywhere(owner)).toEqual([]);
      const codes = (await page.getByRole('dialog').locator('pre').textContent())!.split('\n');
      expect(codes.length).toBeGreaterThanOrEqual(8);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText('Signing in asks for a code of your app.').waitFor();

      const again = await openTab(browser, server);
      await again.page.goto('/admin/sign-in');
      await again.page.getByLabel('E-mail address').fill('olivia@example.com');
      await again.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await again.page.getByRole('button', { name: 'Sign in' }).click();
      await again.page.getByLabel('Code').fill(codes[0]!);
      await again.page.getByRole('button', { name: 'Sign in' }).click();
      await again.page.getByRole('heading', { name: 'Home' }).waitFor();

      await page.reload();
      await page.getByRole('button', { name: 'End all others' }).click();
      await page.getByText('Ended', { exact: true }).waitFor();
      await again.page.reload();
      await again.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect([...problems, ...again.problems]).toEqual([]);
    });
  });
}
