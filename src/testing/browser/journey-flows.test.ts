import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../harness.ts';
import {
  accessibilityViolations,
  type Box,
  findChromium,
  openTab,
  operatorCookie,
  restingBox,
  startBrowser,
} from './browser.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the flow builder is not tried here\n');
}

/**
 * Presses the mouse on a step of a canvas and moves it until the step follows: on a busy machine the canvas may begin to move
 * away after it seemed to rest.
 */
async function grab(page: Page, step: Locator): Promise<Box> {
  for (;;) {
    const box = await restingBox(step);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 5, y + 5, { steps: 5 });
    if ((await page.locator('.react-flow__node.dragging').count()) > 0) return box;
    await page.mouse.up();
  }
}

/** Frames a second at which 150 steps are dragged: the goal is 50. On a busy machine fewer pass. */
const LEAST_FRAMES = 10;

for (const path of executable === null ? [] : [executable]) {
  describe('the flow builder in Chromium', () => {
    const server = testServer();
    let browser: Browser;
    let shop: TestCompany;
    let cookie: string;

    beforeAll(async () => {
      browser = await startBrowser(path);
      shop = await server.company({ name: 'Rowan & Thistle' });
      cookie = await operatorCookie(server);
    });
    afterAll(() => browser?.close());

    const made = async (body: object): Promise<number> => {
      const response = await shop.marketing('POST', '/flows', { trigger_type: 'order_placed', ...body });
      expect(response.status).toBe(201);
      return response.body.flow_id as number;
    };
    const read = async (id: number): Promise<TestBody> => (await shop.marketing('GET', `/flows/${id}`)).body;
    const step = (page: Page, id: string) => page.locator(`[data-step="${id}"]`);

    async function opened(page: Page, id: number): Promise<void> {
      await page.goto(`/admin/${shop.company_id}/flows/${id}/edit`);
      await step(page, 'trigger').waitFor();
    }
    async function saved(page: Page): Promise<void> {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).first().waitFor();
    }

    test('a flow built by mouse, one built by keys and one made by the API are the same', async () => {
      const wait = { event_type: 'order_placed', timeout: { value: 3, unit: 'days' } };
      const wanted = {
        steps: [
          { step_id: 'delay_1', type: 'delay', config: { value: 2, unit: 'days' } },
          { step_id: 'wait_for_event_1', type: 'wait_for_event', config: wait },
          { step_id: 'add_tag_1', type: 'add_tag', config: { tag: 'bought' } },
          { step_id: 'exit_1', type: 'exit', config: {} },
          { step_id: 'notify_1', type: 'notify', config: { message: 'Came back' } },
        ],
        connections: [
          { from: 'trigger', to: 'delay_1' },
          { from: 'delay_1', to: 'wait_for_event_1' },
          { from: 'wait_for_event_1', branch: 'timeout', to: 'exit_1' },
          { from: 'wait_for_event_1', branch: 'received', to: 'notify_1' },
          { from: 'notify_1', to: 'add_tag_1' },
        ],
      };
      const byApi = await read(await made({ name: 'By API', ...wanted }));

      const { page, problems, context } = await openTab(browser, server, { cookie });
      const mouse = await made({ name: 'By mouse' });
      await opened(page, mouse);
      const choose = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
      const addAfter = async (id: string, row: number, name: string): Promise<void> => {
        await step(page, id).click();
        await page.getByLabel('Chosen step').getByRole('button', { name: 'Add step' }).nth(row).click();
        await choose(name);
      };
      await addAfter('trigger', 0, 'Wait');
      await page.getByLabel('Duration').fill('2');
      await addAfter('delay_1', 0, 'Wait for event');
      await addAfter('wait_for_event_1', 0, 'Add tag');
      await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('bought');
      await addAfter('wait_for_event_1', 1, 'End');
      // On the connection itself.
      await page.getByRole('button', { name: 'Add a step after wait_for_event_1 (received)' }).click();
      await choose('Notify team');
      await page.getByLabel('Message').fill('Came back');
      await saved(page);

      const keys = await made({ name: 'By keys' });
      await opened(page, keys);
      await step(page, 'trigger').focus();
      const add = async (name: string, id: string): Promise<void> => {
        await page.keyboard.press('a');
        await page.getByRole('dialog').waitFor();
        await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
        await page.keyboard.type(name);
        await page.keyboard.press('Enter');
        await step(page, id).waitFor();
        await expect.poll(() => step(page, id).evaluate('document.activeElement.dataset.step')).toBe(id);
      };
      const fill = async (label: string, text: string, id: string): Promise<void> => {
        await page.keyboard.press('Enter');
        await page.getByRole('textbox', { name: label, exact: true }).focus();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(text);
        await page.keyboard.press('Escape');
        await expect.poll(() => step(page, id).evaluate('document.activeElement.dataset.step')).toBe(id);
      };
      await add('delay', 'delay_1');
      await fill('Duration', '2', 'delay_1');
      await add('wait_for', 'wait_for_event_1');
      await add('add_tag', 'add_tag_1');
      await fill('Tag', 'bought', 'add_tag_1');
      await page.keyboard.press('ArrowUp');
      await add('exit', 'exit_1');
      await page.keyboard.press('ArrowUp');
      await add('notify', 'notify_1');
      await fill('Message', 'Came back', 'notify_1');
      await page.keyboard.press('ControlOrMeta+s');
      await page.getByText('Saved', { exact: true }).first().waitFor();

      const graphOf = ({ steps, connections }: TestBody) => ({ steps, connections: [...connections].sort(byBranch) });
      const byBranch = (a: object, b: object): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
      expect(graphOf(await read(mouse))).toEqual(graphOf(byApi));
      expect(graphOf(await read(keys))).toEqual(graphOf(byApi));
      expect(problems).toEqual([]);
      await context.close();
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
      await context.close();
    });

    test('what the server finds wrong stands at its step', async () => {
      const { page, context } = await openTab(browser, server, { cookie });
      const id = await made({
        name: 'Unfinished',
        steps: [{ step_id: 'mail', type: 'send_email', config: {} }],
        connections: [{ from: 'trigger', to: 'mail' }],
      });
      await opened(page, id);
      await page.getByRole('button', { name: 'Activate' }).click();
      await page.getByText('1 thing is to be fixed').waitFor();
      await page.getByRole('button', { name: /needs a template_id/ }).click();
      await page.getByLabel('Chosen step').getByText('needs a template_id, or subject and content').waitFor();
      await context.close();
    });

    test('a test run lights the path by the moment, and says which values decided', async () => {
      const { page, problems, context } = await openTab(browser, server, { cookie });
      const large = { operator: 'and', rules: [{ field: 'total', comparison: 'greater_than', value: 50 }] };
      const id = await made({
        name: 'By value',
        steps: [
          { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
          { step_id: 'value', type: 'branch', config: { paths: [{ key: 'large', conditions: large }] } },
          { step_id: 'tag', type: 'add_tag', config: { tag: 'large' } },
        ],
        connections: [
          { from: 'trigger', to: 'wait' },
          { from: 'wait', to: 'value' },
          { from: 'value', branch: 'large', to: 'tag' },
        ],
      });
      await opened(page, id);
      await step(page, 'value').click();
      await page.getByRole('group', { name: 'Conditions of large' }).waitFor();
      await page.getByRole('button', { name: 'Test run' }).click();
      await page.getByLabel('Data of the event (JSON)').fill('{"total": 80}');
      await page.getByRole('button', { name: 'Walk through' }).click();
      await page.getByText('Completed', { exact: true }).waitFor();
      await page.getByText('found 80').waitFor();
      const marked = (of: string, mark: string) => page.locator(`[data-mark="${mark}"]:has([data-step="${of}"])`);
      await marked('wait', 'passed').waitFor();
      await marked('tag', 'now').waitFor();
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      await marked('wait', 'now').waitFor();
      expect(await page.locator('[data-mark]:has([data-step="tag"])').count()).toBe(0);
      expect((await read(id)).stats.entered).toBe(0);
      expect(problems).toEqual([]);
      await context.close();
    });

    test('versions are compared, and runs at a step that is gone move to a chosen one', async () => {
      const tab = await openTab(browser, server, { cookie });
      const { page, problems, context } = tab;
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
      await context.close();
    });

    test('150 steps open and are dragged smoothly', async () => {
      const { page, problems, context } = await openTab(browser, server, { cookie });
      const ids = Array.from({ length: 150 }, (_, i) => `s${i}`);
      const id = await made({
        name: 'Long',
        steps: ids.map((step_id) => ({ step_id, type: 'wait_for_event', config: { event_type: 'order_placed' } })),
        connections: ids.map((to, i) => {
          const parent = i === 0 ? null : Math.floor((i - 1) / 2);
          return parent === null
            ? { from: 'trigger', to }
            : { from: ids[parent], branch: i % 2 === 1 ? 'received' : 'timeout', to };
        }),
      });
      page.setDefaultTimeout(60_000);
      const start = performance.now();
      await opened(page, id);
      await step(page, 's149').waitFor();
      const open = performance.now() - start;
      await page.evaluate(`(() => {
        window.frames_ = [];
        const tick = (at) => { window.frames_.push(at); requestAnimationFrame(tick); };
        requestAnimationFrame(tick);
      })()`);
      await step(page, 's0').click();
      // The panel of the step makes room for itself, and the canvas may move below.
      await page.getByLabel('Chosen step').waitFor();
      const box = await grab(page, step(page, 's0'));
      await page.evaluate('window.frames_.length = 0');
      for (let n = 0; n < 60; n++) await page.mouse.move(box.x + box.width / 2 + n * 2, box.y + box.height / 2 + n);
      const times = (await page.evaluate('window.frames_')) as number[];
      await page.mouse.up();
      const frames = ((times.length - 1) * 1_000) / (times.at(-1)! - times[0]!);
      process.stdout.write(
        `150 steps: open in ${Math.round(open)} ms, dragged at ${frames.toFixed(0)} frames a second\n`,
      );
      expect(frames).toBeGreaterThan(LEAST_FRAMES);
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
      expect(problems).toEqual([]);
      await context.close();
    });
  });
}
