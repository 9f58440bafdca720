import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedServer, type TestBody, type TestCompany } from '../harness.ts';
import { accessibilityViolations, operatorCookie, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';
import { drawFrom, framesOfDrag, handleOf, longFlow, stepOn as step } from './flow-pages.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the flow builder is not tried here\n');
}

/** Frames a second at which 150 steps are dragged: the goal is 50, which the bench measures. On a busy machine fewer pass. */
const LEAST_FRAMES = 5;

for (const path of executable === null ? [] : [executable]) {
  describe('the flow builder in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
    });

    const made = async (body: object): Promise<number> => {
      const response = await shop.marketing('POST', '/flows', { trigger_type: 'order_placed', ...body });
      expect(response.status).toBe(201);
      return response.body.flow_id as number;
    };
    const read = async (id: number): Promise<TestBody> => (await shop.marketing('GET', `/flows/${id}`)).body;

    async function opened(page: Page, id: number): Promise<void> {
      await page.goto(`/admin/${shop.company_id}/flows/${id}/edit`);
      await step(page, 'trigger').waitFor();
    }
    async function saved(page: Page): Promise<void> {
      await written(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
      await page.getByText('Saved', { exact: true }).first().waitFor();
    }

    test('a flow built by mouse, one built by keys and one made by the API are the same', async () => {
      const large = { operator: 'and', rules: [{ field: 'total', comparison: 'greater_than', value: 50 }] };
      const variants = ['a', 'b'].map((key) => ({ key, weight: 50 }));
      const wanted = {
        steps: [
          { step_id: 'delay_1', type: 'delay', config: { value: 2, unit: 'days' } },
          { step_id: 'branch_1', type: 'branch', config: { paths: [{ key: 'yes', conditions: large }] } },
          { step_id: 'split_1', type: 'split', config: { variants } },
          { step_id: 'send_email_1', type: 'send_email', config: { subject: 'Thanks', content: '<p>Hello</p>' } },
          { step_id: 'add_tag_1', type: 'add_tag', config: { tag: 'bought' } },
          { step_id: 'exit_1', type: 'exit', config: {} },
        ],
        connections: [
          { from: 'trigger', to: 'delay_1' },
          { from: 'delay_1', to: 'branch_1' },
          { from: 'branch_1', branch: 'yes', to: 'split_1' },
          { from: 'branch_1', branch: 'else', to: 'exit_1' },
          { from: 'split_1', branch: 'a', to: 'add_tag_1' },
          { from: 'add_tag_1', to: 'send_email_1' },
          { from: 'split_1', branch: 'b', to: 'send_email_1' },
        ],
      };
      const byApi = await read(await made({ name: 'By API', ...wanted }));

      const { page, problems } = await openTab(browser, server, { cookie });
      const mouse = await made({ name: 'By mouse' });
      await opened(page, mouse);
      const panel = page.getByLabel('Chosen step');
      const choose = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
      /** Drops the branch where no step is, and chooses the step to put there. */
      const drop = async (id: string, branch: string, name: string, fresh: string): Promise<void> => {
        await drawFrom(page, handleOf(page, id, branch), { by: branch === 'else' ? [150, 60] : [-30, 90] });
        await choose(name);
        await step(page, fresh).waitFor();
      };
      const rule = page.getByRole('group', { name: 'Conditions of yes' });
      await drop('trigger', 'default', 'Wait', 'delay_1');
      await panel.getByLabel('Duration').fill('2');
      await drop('delay_1', 'default', 'Branch', 'branch_1');
      await rule.getByRole('button', { name: 'Add a rule' }).click();
      await rule.getByLabel('What').selectOption({ label: 'Data of the event' });
      await rule.getByLabel('Name of the field').fill('total');
      await rule.getByLabel('Comparison').selectOption({ label: 'is more than' });
      await rule.getByLabel('Value').fill('50');
      await drop('branch_1', 'yes', 'Split', 'split_1');
      await drop('split_1', 'a', 'Send e-mail', 'send_email_1');
      await panel.getByLabel('Subject').fill('Thanks');
      await panel.getByLabel('Content').fill('<p>Hello</p>');
      // To a step that is there, and on the connection itself.
      await drawFrom(page, handleOf(page, 'split_1', 'b'), step(page, 'send_email_1'));
      await page.getByRole('button', { name: 'Add a step after split_1 (a)' }).click();
      await choose('Add tag');
      await panel.getByRole('textbox', { name: 'Tag', exact: true }).fill('bought');
      await drop('branch_1', 'else', 'End', 'exit_1');
      await saved(page);

      const keys = await made({ name: 'By keys' });
      await opened(page, keys);
      await step(page, 'trigger').focus();
      const isAt = (id: string) =>
        expect.poll(() => step(page, id).evaluate('document.activeElement.dataset.step')).toBe(id);
      const add = async (name: string, id: string): Promise<void> => {
        await page.keyboard.press('a');
        await page.getByRole('dialog').waitFor();
        await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
        await page.keyboard.type(name);
        await page.keyboard.press('Enter');
        await step(page, id).waitFor();
        await isAt(id);
      };
      const fill = async (label: string, text: string, id: string): Promise<void> => {
        await page.keyboard.press('Enter');
        await page.getByRole('textbox', { name: label, exact: true }).focus();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(text);
        await page.keyboard.press('Escape');
        await isAt(id);
      };
      const go = async (key: string, id: string): Promise<void> => {
        await page.keyboard.press(key);
        await isAt(id);
      };
      await add('delay', 'delay_1');
      await fill('Duration', '2', 'delay_1');
      await add('branch', 'branch_1');
      await rule.getByRole('button', { name: 'Add a rule' }).focus();
      await page.keyboard.press('Enter');
      // The new rule has the focus.
      for (const part of ['Data of the event', 'total', 'is more than', '50']) {
        await page.keyboard.type(part);
        await page.keyboard.press('Tab');
      }
      await step(page, 'branch_1').focus();
      await add('split', 'split_1');
      await add('send_email', 'send_email_1');
      await fill('Subject', 'Thanks', 'send_email_1');
      await fill('Content', '<p>Hello</p>', 'send_email_1');
      await go('ArrowUp', 'split_1');
      await page.keyboard.press('Enter');
      await panel.getByLabel('b', { exact: true }).focus();
      await page.keyboard.type('Send');
      await page.keyboard.press('Escape');
      await isAt('split_1');
      await add('add_tag', 'add_tag_1');
      await fill('Tag', 'bought', 'add_tag_1');
      await go('ArrowUp', 'split_1');
      await go('ArrowUp', 'branch_1');
      await add('exit', 'exit_1');
      await written(page, () => page.keyboard.press('ControlOrMeta+s'));
      await page.getByText('Saved', { exact: true }).first().waitFor();

      const graphOf = ({ steps, connections }: TestBody) => ({ steps, connections: [...connections].sort(byBranch) });
      const byBranch = (a: object, b: object): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
      expect(graphOf(await read(mouse))).toEqual(graphOf(byApi));
      expect(graphOf(await read(keys))).toEqual(graphOf(byApi));
      expect(problems).toEqual([]);
    });

    test('undo, redo, copy, paste, search and the outline work on one model', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems, context } = tab;
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const id = await made({
        name: 'Thanks',
        steps: [
          { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
          { step_id: 'tag', type: 'add_tag', name: 'Remember', config: { tag: 'old' }, comment: 'Agreed with Ada' },
        ],
        connections: [
          { from: 'trigger', to: 'wait' },
          { from: 'wait', to: 'tag' },
        ],
      });
      await opened(page, id);
      await page.getByLabel('Find a step').fill('ada');
      await page.keyboard.press('Enter');
      await page.getByLabel('Comment').waitFor();
      expect(await page.getByLabel('Comment').inputValue()).toBe('Agreed with Ada');
      await step(page, 'tag').click();
      await page.keyboard.press('ControlOrMeta+c');
      await page.keyboard.press('ControlOrMeta+v');
      await step(page, 'add_tag_1').waitFor();
      await page.keyboard.press('ControlOrMeta+z');
      await expect.poll(() => step(page, 'add_tag_1').count()).toBe(0);
      await page.keyboard.press('ControlOrMeta+Shift+z');
      await step(page, 'add_tag_1').waitFor();
      await page.getByText('Outline', { exact: true }).click();
      await page.getByRole('button', { name: 'Remember' }).nth(1).click();
      await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('new');
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.getByText('Canvas', { exact: true }).click();
      await step(page, 'add_tag_1').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await saved(page);
      const { steps, connections } = await read(id);
      expect(steps.map((one: { config: object }) => one.config)).toEqual([
        { value: 1, unit: 'days' },
        { tag: 'old' },
        { tag: 'new' },
      ]);
      expect(connections.at(-1)).toEqual({ from: 'tag', to: 'add_tag_1' });
      expect(problems).toEqual([]);
    });

    test('versions are compared, and runs at a step that is gone move to a chosen one', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems } = tab;
      const flowOf = (step_id: string) => ({
        steps: [{ step_id, type: 'delay', config: { value: 9, unit: 'days' } }],
        connections: [{ from: 'trigger', to: step_id }],
      });
      const id = await made({ name: 'Edited', status: 'active', ...flowOf('gone') });
      await shop.marketing('POST', '/events', {
        event_type: 'order_placed',
        event_data: { order_id: '1', email: 'ada@example.com', total: 10 },
      });
      for (const worker of server.app.workers.filter(({ name }) => name === 'flows')) await worker.runOnce();
      await shop.marketing('PATCH', `/flows/${id}`, flowOf('fresh'));
      await page.goto(`/admin/${shop.company_id}/flows/${id}/versions`);
      await page.getByText('Removed step').waitFor();
      await page.getByText('New step').waitFor();
      expect(await accessibilityViolations(tab)).toEqual([]);
      await page.getByLabel('Where runs at gone go').selectOption('fresh');
      await page.getByRole('button', { name: 'Move 1 run' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByText('1 run moved', { exact: true }).waitFor();
      const { runs } = (await shop.marketing('GET', `/flows/${id}/runs`)).body;
      expect(runs).toMatchObject([{ version: 2, step_id: 'fresh' }]);
      expect(problems).toEqual([]);
    });

    test('150 steps open and are dragged smoothly', async () => {
      const { page, problems } = await openTab(browser, server, { cookie });
      const id = await made(longFlow());
      page.setDefaultTimeout(60_000);
      await opened(page, id);
      await step(page, 's149').waitFor();
      const frames = await framesOfDrag(page);
      await page.mouse.up();
      expect(frames).toBeGreaterThan(LEAST_FRAMES);
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
      expect(problems).toEqual([]);
    });
  });
}
