import { beforeAll, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { activeFlow } from '../flows/testing-flows.ts';

const server = testServer();
let shop: TestCompany;
beforeAll(async () => {
  shop = await server.company();
  await send(events(30));
});

let serial = 0;
const events = (n: number) =>
  Array.from({ length: n }, (_, i) => ({
    event_type: 'product_viewed',
    event_id: `view-${++serial}`,
    event_data: { email: `cost${i}@example.com`, product_id: '1', product_name: 'Mug' },
  }));
const send = (list: object[]) => shop.marketing('POST', '/events/batch', { events: list });

describe('events of known contacts that no flow listens for', () => {
  it.each([1, 30])('are stored in two turns and nine statements, %i of them', async (n) => {
    await server.app.versions.refresh();
    await send(events(1));
    const sent = await recordStatements(() => send(events(n)));
    expect(sent.at(-1)?.turn).toBe(2);
    expect(sent).toHaveLength(9);
  });

  it('find a flow that was activated just now, which the process has not been told of', async () => {
    for (const n of [1, 30]) {
      const flow = await activeFlow(shop, [], { trigger_type: 'product_viewed' });
      const answer = await send(events(n));
      const outcomes = answer.body.events as unknown as { flows_triggered: number[] }[];
      expect(outcomes.map((outcome) => outcome.flows_triggered)).toEqual(Array(n).fill([flow.flow_id]));
      await shop.marketing('POST', `/flows/archive/${flow.flow_id}`);
      expect((await send(events(n))).body.events).toMatchObject(Array(n).fill({ flows_triggered: [] }));
    }
  });

  it('look for their keys only once one was known', async () => {
    const claims = async (list: object[]) => {
      const sent = await recordStatements(() => send(list));
      return sent
        .filter(({ text }) => text.includes('into event_keys'))
        .map(({ text }) => text.includes('on conflict'));
    };
    const first = events(30);
    expect(await claims(first)).toEqual([false]);
    const mixed = [...events(1), ...first.slice(0, 29)];
    expect(await claims(mixed)).toEqual([false, true]);
    expect(await claims(events(2))).toEqual([true]);
    expect((await send([...mixed, ...events(1)])).body).toMatchObject({ accepted: 1, duplicates: 30 });
  });
});
