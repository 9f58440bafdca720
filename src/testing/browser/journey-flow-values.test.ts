import { describe, expect, test } from 'vitest';
import { sharedServer } from '../harness.ts';
import { testPerson } from '../people.ts';
import { findingsEverywhere, written } from './browser.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';
import { stepOn } from './flow-pages.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, values of flow steps are not typed here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('the flow builder in Chromium', () => {
    const server = sharedServer();
    const browser = testBrowser(path);

    test('headers and data are typed as rows by keyboard, and give the flow that the API makes', async () => {
      const shop = await server.company({ name: 'Rowan & Thistle' });
      const person = await testPerson(server, { [shop.company_id]: 'marketer' });
      const steps = (headers: object | undefined, data: object) => [
        {
          step_id: 'webhook_1',
          type: 'webhook',
          config: { url: 'https://shop.example/hook', ...(headers && { headers }) },
        },
        { step_id: 'track_event_1', type: 'track_event', config: { event_type: 'reminded', event_data: data } },
      ];
      const kept = { total: 42.5, gift: true, note: '7', lines: [{ sku: 'TEA', n: 2 }], nothing: null };
      const make = async (name: string, ...of: Parameters<typeof steps>): Promise<number> => {
        const connections = [
          { from: 'trigger', to: 'webhook_1' },
          { from: 'webhook_1', to: 'track_event_1' },
        ];
        await shop.marketing('POST', '/event-types', { event_type: 'reminded' });
        const flow = { name, trigger_type: 'order_placed', steps: steps(...of), connections };
        const { status, body } = await shop.marketing('POST', '/flows', flow);
        expect(status, JSON.stringify(body)).toBe(201);
        return body.flow_id;
      };
      const read = async (id: number) => (await shop.marketing('GET', `/flows/${id}`)).body;
      const headers = { 'X-Shop': 'rowan', Authorization: 'Bearer 7' };
      const byApi = await read(await make('By API', headers, { ...kept, n: 3, code: '0042' }));

      const tab = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      const { page, problems } = tab;
      const id = await make('By keys', undefined, kept);
      await page.goto(`/admin/${shop.company_id}/flows/${id}/edit?step=webhook_1`);
      await stepOn(page, 'webhook_1').waitFor();
      const panel = page.getByLabel('Chosen step');
      const type = async (text: string): Promise<void> => {
        await page.keyboard.type(text);
        await page.keyboard.press('Tab');
      };
      const ofHeaders = panel.getByRole('group', { name: 'Headers', exact: true });
      await ofHeaders.getByRole('button', { name: 'Add a value' }).focus();
      await page.keyboard.press('Enter');
      await type('X-Shop');
      await type('rowan');
      await ofHeaders.getByRole('button', { name: 'Add a value' }).focus();
      await page.keyboard.press('Enter');
      await type('X-Shop');
      await ofHeaders.getByText('The name is used twice').waitFor();
      await ofHeaders.getByLabel('Name 2').fill('Authorization');
      await ofHeaders.getByLabel('Value of Authorization').fill('Bearer 7');
      // A row that is added by mistake goes again, and the focus stays near.
      await ofHeaders.getByRole('button', { name: 'Add a value' }).press('Enter');
      await type('Wrong');
      await ofHeaders.getByRole('button', { name: 'Remove Wrong' }).press('Enter');
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Remove Authorization');
      expect(await findingsEverywhere(tab, 'headers')).toEqual([]);

      await page.goto(`/admin/${shop.company_id}/flows/${id}/edit?step=track_event_1`);
      const ofData = panel.getByRole('group', { name: 'Data', exact: true });
      await ofData.getByLabel('Value of lines').waitFor();
      expect(await ofData.getByLabel('Type of total').inputValue()).toBe('number');
      await ofData.getByRole('button', { name: 'Add a value' }).press('Enter');
      await type('n');
      await ofData.getByLabel('Type of n', { exact: true }).selectOption({ label: 'Number' });
      await ofData.getByLabel('Value of n', { exact: true }).fill('three');
      await ofData.getByText('This is not a number').waitFor();
      await ofData.getByLabel('Value of n', { exact: true }).fill('3');
      await ofData.getByRole('button', { name: 'Add a value' }).press('Enter');
      await type('code');
      await ofData.getByLabel('Value of code').fill('0042');
      expect(await findingsEverywhere(tab, 'data')).toEqual([]);
      await ofData.getByRole('button', { name: 'Edit as JSON' }).click();
      expect(JSON.parse(await ofData.getByRole('textbox').inputValue())).toEqual({ ...kept, n: 3, code: '0042' });
      await ofData.getByRole('button', { name: 'Edit as rows' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).first().waitFor();
      expect(JSON.stringify((await read(id)).steps)).toBe(JSON.stringify(byApi.steps));
      expect(problems).toEqual([]);
    });

    test('the goal and the events that end a run are chosen, and need no JSON', async () => {
      const shop = await server.company({ name: 'Rowan & Thistle' });
      const person = await testPerson(server, { [shop.company_id]: 'marketer' });
      const steps = [{ step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } }];
      const connections = [{ from: 'trigger', to: 'wait' }];
      for (const event_type of ['came_back', 'left_again'])
        await shop.marketing('POST', '/event-types', { event_type });
      const flow = { name: 'F', trigger_type: 'customer_created', steps, connections };
      const { flow_id } = (await shop.marketing('POST', '/flows', flow)).body;
      const stored = async () => {
        const { goal, exit_on } = (await shop.marketing('GET', `/flows/${flow_id}`)).body;
        return { goal, exit_on };
      };
      const tab = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/flows/${flow_id}/edit?step=trigger`);
      await stepOn(page, 'wait').waitFor();
      const panel = page.getByLabel('Chosen step');
      const save = async (): Promise<void> => {
        await written(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
        await page.getByText('Saved', { exact: true }).first().waitFor();
      };
      await panel.getByRole('button', { name: 'Goal: add an event' }).press('Enter');
      await panel.getByRole('group', { name: 'Goal 1: order_placed' }).getByLabel('Event').selectOption('came_back');
      await panel.getByRole('group', { name: 'Goal 1: came_back' }).waitFor();
      // There is one goal at most.
      expect(await panel.getByRole('button', { name: 'Goal: add an event' }).count()).toBe(0);
      await panel.getByRole('button', { name: 'Ends with: add an event' }).press('Enter');
      await panel.getByRole('button', { name: 'Ends with: add an event' }).press('Enter');
      const second = panel.getByRole('group', { name: 'Ends with 2: order_placed' });
      await second.getByLabel('Event').selectOption('left_again');
      await panel.getByRole('group', { name: 'Ends with 2: left_again' }).waitFor();
      expect(await findingsEverywhere(tab, 'goal')).toEqual([]);
      await save();
      expect(await stored()).toEqual({
        goal: { event_type: 'came_back' },
        exit_on: [{ event_type: 'order_placed' }, { event_type: 'left_again' }],
      });
      await page.reload();
      await panel.getByRole('button', { name: 'Remove came_back' }).press('Enter');
      await panel.getByRole('button', { name: 'Remove order_placed' }).press('Enter');
      await save();
      expect(await stored()).toEqual({ goal: null, exit_on: [{ event_type: 'left_again' }] });
      expect(problems).toEqual([]);
    });

    test('a date of the contact and a segment are chosen as triggers', async () => {
      const shop = await server.company({ name: 'Rowan & Thistle' });
      const person = await testPerson(server, { [shop.company_id]: 'marketer' });
      const conditions = { rules: [{ field: 'tags', comparison: 'contains', value: 'vip' }] };
      const { segment_id } = (await shop.marketing('POST', '/segments', { name: 'Regulars', conditions })).body;
      const { flow_id } = (await shop.marketing('POST', '/flows', { name: 'F', trigger_type: 'customer_created' }))
        .body;
      const stored = async () => {
        const { trigger_type, trigger_settings } = (await shop.marketing('GET', `/flows/${flow_id}`)).body;
        return { trigger_type, trigger_settings };
      };
      const tab = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/flows/${flow_id}/edit?step=trigger`);
      const panel = page.getByLabel('Chosen step');
      const save = async (): Promise<void> => {
        await written(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
        await page.getByText('Saved', { exact: true }).first().waitFor();
      };
      await panel.getByLabel('Trigger').selectOption('date_reached');
      await panel.getByLabel('Starts').selectOption('before');
      await panel.getByLabel('Days').fill('14');
      await panel.getByLabel('Name of the property').fill('renews_on');
      await panel.getByLabel('At', { exact: true }).fill('08:30');
      expect(await findingsEverywhere(tab, 'trigger-date')).toEqual([]);
      await save();
      expect(await stored()).toEqual({
        trigger_type: 'date_reached',
        trigger_settings: { date_field: 'contact.properties.renews_on', days: -14, time: '08:30', yearly: true },
      });
      await panel.getByLabel('Trigger').selectOption('segment_joined');
      await panel.getByLabel('Segment').selectOption({ label: 'Regulars' });
      expect(await findingsEverywhere(tab, 'trigger-segment')).toEqual([]);
      await save();
      expect(await stored()).toEqual({ trigger_type: 'segment_joined', trigger_settings: { segment_id } });
      expect(problems).toEqual([]);
    });

    test('problems of a flow are told in the language of the person', async () => {
      const shop = await server.company({ name: 'Rowan & Thistle' });
      const person = await testPerson(server, { [shop.company_id]: 'marketer' });
      await person.ask('PATCH', '/me', { language: 'de' });
      const steps = [
        { step_id: 'mail', type: 'send_email', config: {} },
        { step_id: 'hook', type: 'webhook', config: {} },
        { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' } },
      ];
      const connections = [
        { from: 'trigger', to: 'mail' },
        { from: 'mail', to: 'hook' },
      ];
      const flow = { name: 'F', trigger_type: 'order_placed', steps, connections };
      const { flow_id } = (await shop.marketing('POST', '/flows', flow)).body;
      const tab = await openTab(browser, server, { cookie: person.cookie.split('=')[1]! });
      const { page, problems } = tab;
      await page.goto(`/admin/${shop.company_id}/flows/${flow_id}/edit`);
      await page.getByRole('button', { name: 'Aktivieren' }).click();
      const list = page.getByRole('listitem');
      await list.getByText('Die E-Mail braucht eine Vorlage oder einen Betreff und einen Inhalt.').waitFor();
      await list.getByText('Adresse: Ein Wert fehlt.').waitFor();
      expect(await findingsEverywhere(tab, 'problems-de')).toEqual([]);
      expect(problems).toEqual([]);
    });
  });
}
