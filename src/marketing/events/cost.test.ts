import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { activeFlow } from '../flows/testing/flows.ts';

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

describe('storing events of known contacts that concern no flow', () => {
  it.each([1, 30])('takes two round trips and nine statements for %i events', async (n) => {
    await server.app.versions.refresh();
    await send(events(1));
    const sent = await recordStatements(() => send(events(n)));
    expect(sent.at(-1)?.turn).toBe(2);
    expect(sent).toHaveLength(9);
  });

  it('starts a flow that was activated a moment ago, before the process is notified', async () => {
    for (const n of [1, 30]) {
      const flow = await activeFlow(shop, [], { trigger_type: 'product_viewed' });
      const response = await send(events(n));
      const outcomes = response.body.events as unknown as { flows_triggered: number[] }[];
      expect(outcomes.map((outcome) => outcome.flows_triggered)).toEqual(Array(n).fill([flow.flow_id]));
      await shop.marketing('POST', `/flows/archive/${flow.flow_id}`);
      expect((await send(events(n))).body.events).toMatchObject(Array(n).fill({ flows_triggered: [] }));
    }
  });
});

describe('optimistic inserts of event keys', () => {
  /** For each attempt to take keys, whether it looked for known ones. */
  const attemptsOf = async (work: () => Promise<unknown>): Promise<boolean[]> =>
    (await recordStatements(work))
      .filter(({ text }) => text.includes('into event_keys'))
      .map(({ text }) => text.includes('on conflict'));
  let fresh: TestCompany;
  beforeEach(async () => {
    fresh = await server.company();
  });
  const sendAll = (list: object[], headers?: Record<string, string>) =>
    fresh.marketing('POST', '/events/batch', { events: list }, headers);

  it('look for keys only after an event was known', async () => {
    const first = events(30);
    expect(await attemptsOf(() => sendAll([...first, first[0]!]))).toEqual([false]);
    const mixed = [...events(1), ...first.slice(0, 29)];
    let response: Awaited<ReturnType<typeof sendAll>>;
    expect(
      await attemptsOf(async () => {
        response = await sendAll(mixed);
      }),
    ).toEqual([false, true]);
    expect(response!.body).toMatchObject({ accepted: 1, duplicates: 29 });
    expect(await attemptsOf(() => sendAll(events(2)))).toEqual([true]);
    expect((await sendAll([...mixed, ...events(1)])).body).toMatchObject({ accepted: 1, duplicates: 30 });
  });

  it('replay the response of an Idempotency-Key whose events were known', async () => {
    const [one] = events(1);
    const known = await sendAll([one!]);
    for (const list of [[one!], [one!, ...events(20)]]) {
      const headers = { 'idempotency-key': `again-${list.length}` };
      const responses = [await sendAll(list, headers), await sendAll(list, headers)];
      expect(responses[0]!.body).toMatchObject({ accepted: list.length - 1, duplicates: 1 });
      expect(responses[0]!.body.events[0]).toMatchObject({ event_id: known.body.events[0].event_id, duplicate: true });
      expect(responses[1]!.body).toEqual(responses[0]!.body);
      expect(responses[1]!.headers.get('idempotent-replayed')).toBe('true');
    }
  });

  it('apply the effects of an event once, where another event of its batch was known', async () => {
    const flow = await activeFlow(fresh, [], { trigger_type: 'product_viewed' });
    const [known, ...others] = events(20);
    await sendAll([known!]);
    const stranger = {
      ...events(1)[0]!,
      event_data: { email: 'new@example.com', product_id: '1', product_name: 'Mug' },
    };
    const headers = { 'idempotency-key': 'follows' };
    const batch = [...others, stranger, known!];
    const responses: Awaited<ReturnType<typeof sendAll>>[] = [];
    const attempts = await attemptsOf(async () => {
      responses.push(await sendAll(batch, headers), await sendAll(batch, headers));
    });
    expect(attempts).toEqual([false, true]);
    expect(responses[0]!.body).toMatchObject({ accepted: 20, duplicates: 1, rejected: [] });
    expect(responses[1]!.body).toEqual(responses[0]!.body);
    const counts = await server.rows(
      `select (select count(*)::int from contacts where company_id = $1 and email = 'new@example.com') as contacts,
         (select count(*)::int from events where company_id = $1) as events,
         (select count(*)::int from flow_runs where company_id = $1 and flow_id = $2) as runs`,
      [fresh.company_id, flow.flow_id],
    );
    expect(counts).toEqual([{ contacts: 1, events: 21, runs: 21 }]);
  });

  it('accept an event again after its key has expired', async () => {
    const view = { ...events(1)[0]!, event_id: undefined };
    const [first] = (await sendAll([view])).body.events;
    const start = server.clock.now();
    try {
      server.clock.advance(60_000);
      const again = await sendAll([view]);
      expect(again.body).toMatchObject({ accepted: 1, duplicates: 0 });
      expect(again.body.events[0].event_id).toBeGreaterThan(first.event_id);
    } finally {
      server.clock.set(start);
    }
  });

  it('store an equal event behind a refused one', async () => {
    for (const id of ['a', 'b']) {
      await fresh.marketing('POST', '/contacts', { email: `${id}@example.com`, external_id: id });
    }
    const event = (customer_id: string) => ({
      ...events(1)[0]!,
      event_id: 'one',
      event_data: { email: 'a@example.com', customer_id, product_id: '1', product_name: 'Mug' },
    });
    const attempts = await attemptsOf(async () => {
      const { body } = await sendAll([event('b'), event('a'), event('a')]);
      expect(body).toMatchObject({ accepted: 1, duplicates: 1, rejected: [{ index: 0 }] });
    });
    expect(attempts).toEqual([false, false]);
  });

  it('store each event once where many are sent twice at the same time', async () => {
    const list = events(40);
    const responses = await Promise.all([...list, ...list].map((event) => fresh.marketing('POST', '/events', event)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(40);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(40);
    const stored = await server.rows('select 1 from events where company_id = $1', [fresh.company_id]);
    expect(stored).toHaveLength(40);
  });
});
