import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { track, work } from '../../marketing/flows/testing/flows.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { accessibilityViolations, findingsEverywhere, operatorCookie } from './browser.ts';
import { findChromium, openTab, type Tab, testBrowser } from './chromium.ts';
import { drawFrom, handleOf, stepOn } from './flow-pages.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the journey of a flow is not tried here\n');
}
const HOUR_MS = 3_600_000;

for (const path of executable === null ? [] : [executable]) {
  describe('an abandoned-cart flow in Chromium', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let list: number;
    let tab: Tab;
    let page: Page;
    /** Where the chosen step is set. */
    let panel: Locator;
    /** Of the flow that is built. */
    let id: number;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      list = (await shop.marketing('POST', '/lists', { name: 'Small carts' })).body.list_id;
      await shop.marketing('POST', '/lists', { name: 'Later' });
      for (const name of ['Ada', 'Bob', 'Cleo'])
        await shop.marketing('POST', '/contacts', { first_name: name, email: `${name.toLowerCase()}@example.com` });
      tab = await openTab(browser, server, { cookie: await operatorCookie(server) });
      page = tab.page;
      panel = page.getByLabel('Chosen step');
    });

    const abandon = (name: string, cart_total: number) =>
      track(shop, `${name}@example.com`, 'cart_abandoned', { cart_total });
    const marked = (of: string, mark: string) => page.locator(`[data-mark="${mark}"]:has([data-step="${of}"])`);
    const numberOn = (from: string, branch: string) => page.locator(`[data-way="${from} ${branch}"]`).textContent();
    const pick = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    /** By keys, on the first open branch of the step that has the focus. */
    const add = async (name: string, id: string): Promise<void> => {
      await page.keyboard.press('a');
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate('document.activeElement.dataset.step')).toBe(id);
    };

    test('is begun from nothing', async () => {
      await page.goto(`/admin/${shop.company_id}/flows`);
      await page.getByRole('button', { name: 'New flow' }).click();
      await page.getByRole('dialog').getByLabel('Begin with').selectOption({ label: 'Nothing: a flow without steps' });
      await page.getByRole('dialog').getByLabel('Name').fill('Come back');
      await page.getByRole('button', { name: 'Create' }).click();
      await panel.getByLabel('Trigger').selectOption('cart_abandoned');
      id = Number(/flows\/(\d+)\/edit/.exec(page.url())![1]);
    });

    test('is built by mouse and by keys', async () => {
      // By mouse: a connection that is dropped on the empty canvas asks for the step.
      await drawFrom(page, handleOf(page, 'trigger', 'default'), { by: [0, 120] });
      await page.getByRole('dialog').waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await pick('Wait for event');
      await panel.getByLabel('At most: Unit').selectOption('hours');
      // By keys.
      await stepOn(page, 'wait_for_event_1').focus();
      await add('add_tag', 'add_tag_1');
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Tag', exact: true }).focus();
      await page.keyboard.type('bought');
      await page.keyboard.press('Escape');
      await page.keyboard.press('ArrowUp');
      await add('branch', 'branch_1');
      const rules = panel.getByRole('group', { name: 'Conditions of yes' });
      await rules.getByRole('button', { name: 'Add a rule' }).click();
      await rules.getByLabel('What').selectOption({ label: 'Data of the event' });
      await rules.getByLabel('Name of the field').fill('cart_total');
      await rules.getByLabel('Comparison').selectOption({ label: 'is more than' });
      await rules.getByLabel('Value').fill('50');
      await stepOn(page, 'branch_1').focus();
      await add('send_email', 'send_email_1');
      await page.keyboard.press('ArrowUp');
      await add('add_to_list', 'add_to_list_1');
    });

    test('lists missing parts, each with a link', async () => {
      await page.getByRole('button', { name: 'Activate' }).click();
      const missing = page.getByRole('region', { name: 'things are to be fixed' });
      await missing.getByText('The e-mail needs a template, or a subject and content.').waitFor();
      expect(await findingsEverywhere(tab)).toEqual([]);
      await missing.getByRole('button', { name: 'Add to list' }).first().click();
      await panel.getByLabel('List').selectOption({ label: 'Small carts' });
      await missing.getByRole('button', { name: 'Send e-mail' }).first().click();
    });

    test('has its e-mail written, and is as it was on the way back', async () => {
      await panel.getByRole('button', { name: 'Write with blocks' }).click();
      await page.getByRole('heading', { name: 'Come back · Send e-mail' }).waitFor();
      await page.getByLabel('Subject').fill('Your cart waits');
      await page.getByRole('button', { name: /^Text: A title/ }).click();
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Still interested?');
      await page.getByRole('button', { name: 'Save and go back' }).click();
      await panel.frameLocator('iframe').getByText('Still interested?').waitFor();
      await panel.getByRole('heading', { name: 'Send e-mail' }).waitFor();
    });

    test('is tried: a test run lights its path', async () => {
      await page.getByRole('button', { name: 'Test run' }).click();
      const data = page.getByRole('group', { name: 'Data of the event', exact: true });
      await data.getByRole('button', { name: 'Add a value' }).click();
      await data.getByLabel('Name 1').fill('cart_total');
      await data.getByLabel('Type of cart_total').selectOption({ label: 'Number' });
      await data.getByLabel('Value of cart_total').fill('80');
      await page.getByRole('button', { name: 'Walk through' }).click();
      await page.getByText('found 80').waitFor();
      await marked('wait_for_event_1', 'passed').waitFor();
      await marked('send_email_1', 'now').waitFor();
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      await marked('wait_for_event_1', 'now').waitFor();
      expect(await page.locator('[data-mark]:has([data-step="send_email_1"])').count()).toBe(0);
      // With an order meanwhile it leaves the other way.
      await page.getByRole('button', { name: 'Add a later event' }).click();
      const later = page.getByRole('group', { name: 'Later events 1: order_placed' });
      await later.getByLabel('Comes after: Number').fill('0.5');
      await page.getByRole('button', { name: 'Walk through' }).click();
      await marked('add_tag_1', 'now').waitFor();
      expect(await findingsEverywhere(tab, 'trial')).toEqual([]);
      await panel.getByRole('button', { name: 'Close' }).click();
      expect((await shop.marketing('GET', `/flows/${id}`)).body.stats.entered).toBe(0);
    });

    test('is live and counts, while a colleague deletes its list', async () => {
      await page.getByRole('button', { name: 'Activate' }).click();
      await page.getByText('The flow is active').waitFor();
      await shop.marketing('DELETE', `/lists/${list}`);
      for (const [name, total] of [
        ['ada', 80],
        ['bob', 90],
        ['cleo', 10],
      ] as const)
        await abandon(name, total);
      await work(server);
      await expect.poll(() => numberOn('trigger', 'default')).toBe('3');
      await track(shop, 'ada@example.com');
      await work(server);
      await expect.poll(() => numberOn('wait_for_event_1', 'received')).toBe('1');
      server.clock.advance(3 * HOUR_MS);
      await work(server);
      await expect.poll(() => numberOn('branch_1', 'else')).toBe('1');
      expect(await numberOn('wait_for_event_1', 'timeout')).toBe('2');
      expect(await numberOn('branch_1', 'yes')).toBe('1');
    });

    test('is edited while it is live, and shows what differs', async () => {
      await stepOn(page, 'add_to_list_1').click();
      await panel.getByLabel('List').selectOption({ label: 'Later' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved as a new version').waitFor();
      await page.getByRole('link', { name: 'Flow', exact: true }).click();
      await page.getByRole('button', { name: 'Versions' }).click();
      await page.locator('li', { hasText: 'Add to list (add_to_list_1)' }).waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
    });

    test('lets a run that failed go on by the new version', async () => {
      await page.goto(`/admin/${shop.company_id}/flows/${id}`);
      const failed = page.getByRole('row').filter({ hasText: 'cleo@example.com' });
      await failed.getByRole('button', { name: 'Try again' }).waitFor();
      await failed.getByRole('link', { name: /^#/ }).click();
      await page.getByRole('link', { name: 'Cleo', exact: true }).waitFor();
      await page.getByText('cleo@example.com').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('The run goes on').waitFor();
      await work(server);
      await page.reload();
      await page.getByText('Completed', { exact: true }).first().waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect(tab.problems).toEqual([]);
    });
  });
}
