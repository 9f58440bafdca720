import { beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { step } from '../definition/testing-graphs.ts';

const server = testServer();
let shop: TestCompany;
beforeEach(async () => {
  shop = await server.company();
});

const newFlow = (more: object) => ({ name: 'Cart', trigger_type: 'cart_abandoned', ...more });

const over = (value: number) => ({
  operator: 'and',
  rules: [
    { field: 'cart_total', comparison: 'greater_than', value },
    { operator: 'or', rules: [{ field: 'contact.tags', comparison: 'contains', value: 'vip' }] },
  ],
});
const graph = {
  steps: [
    step('by_value', 'branch', {
      paths: [
        { key: 'large', conditions: over(100) },
        { key: 'middle', conditions: over(50) },
      ],
    }),
    step('monday', 'wait_until', { weekdays: ['monday'], time: '09:00' }),
    step('tag', 'add_tag', { tag: 'done' }),
  ],
  connections: [
    { from: 'trigger', to: 'by_value' },
    { from: 'by_value', branch: 'middle', to: 'monday' },
    { from: 'monday', to: 'tag' },
  ],
};

describe('a test run', () => {
  it('shows of each decision every path, its rules, and the values that stood there', async () => {
    const conditions = { operator: 'and', rules: [{ field: 'email', comparison: 'exists' }] };
    const { body: flow } = await shop.marketing(
      'POST',
      '/flows',
      newFlow({ ...graph, trigger_conditions: conditions }),
    );
    const body = { event_data: { email: 'a@example.com', cart_total: 80 }, contact: { tags: ['new', 'vip'] } };
    const run = (await shop.marketing('POST', `/flows/test/${flow.flow_id}`, body)).body;
    const tags = { field: 'contact.tags', comparison: 'contains', value: 'vip', found: ['new', 'vip'], holds: true };
    const total = { field: 'cart_total', comparison: 'greater_than', found: [80] };
    expect(run.decisions).toMatchObject([
      {
        step_id: null,
        branch: 'default',
        paths: [{ key: 'default', holds: true, rules: [{ field: 'email', found: ['a@example.com'], holds: true }] }],
      },
      {
        step_id: 'by_value',
        branch: 'middle',
        paths: [
          { key: 'large', holds: false, rules: [{ ...total, value: 100, holds: false }, tags] },
          { key: 'middle', holds: true, rules: [{ ...total, value: 50, holds: true }, tags] },
        ],
      },
    ]);
    const refused = (await shop.marketing('POST', `/flows/test/${flow.flow_id}`, { event_data: {} })).body;
    expect(refused).toMatchObject({ enters: false, path: [], decisions: [{ step_id: null, branch: 'not_entered' }] });
  });

  it('begins at another moment, and walks through an edit that is not saved', async () => {
    const { body: flow } = await shop.marketing('POST', '/flows', newFlow({ name: 'Empty' }));
    const test = (body: object) => shop.marketing('POST', `/flows/test/${flow.flow_id}`, body);
    const body = { draft: graph, event_data: { cart_total: 60 }, contact: { tags: ['vip'] } };
    const late = await test({ ...body, starts_at: '2031-07-01 12:00:00' });
    expect(late.status).toBe(200);
    // The first of July 2031 is a Tuesday.
    expect(late.body.path.at(-1)).toMatchObject({ step_id: 'tag', at: '2031-07-07 09:00:00' });
    expect((await shop.marketing('GET', `/flows/${flow.flow_id}`)).body.steps).toEqual([]);
    expect((await test({ ...body, starts_at: 'soon' })).body.details).toMatchObject([{ field: 'starts_at' }]);
    const broken = { ...graph, steps: graph.steps.slice(0, 2) };
    const { status, body: error } = await test({ draft: broken });
    expect([status, error.details.map(({ field }: { field: string }) => field)]).toEqual([400, ['connections.2.to']]);
  });
});
