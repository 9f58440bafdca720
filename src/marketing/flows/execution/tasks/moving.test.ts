import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../../db/sql.ts';
import { type TestBody, type TestCompany, testServer } from '../../../../testing/harness.ts';
import { step } from '../../definition/testing-graphs.ts';
import { activeFlow, expectSound, later, numbersOf, track, work } from '../../testing/flows.ts';
import { createTasks } from './tasks.ts';

const server = testServer();
const DAY_MS = 86_400_000;
let shop: TestCompany;
beforeEach(async () => {
  shop = await server.company();
});

const before = [
  step('early', 'delay', { value: 1, unit: 'days' }),
  step('gone', 'delay', { value: 9, unit: 'days' }),
  step('end', 'add_tag', { tag: 'old' }),
];
const after = {
  steps: [
    step('early', 'delay', { value: 1, unit: 'days' }),
    step('fresh', 'delay', { value: 2, unit: 'days' }),
    step('end', 'add_tag', { tag: 'new' }),
  ],
  connections: [
    { from: 'trigger', to: 'early' },
    { from: 'early', to: 'fresh' },
    { from: 'fresh', to: 'end' },
  ],
};

/** Creates a flow in its second version: three runs are at a step that it lacks, two at one that it has. */
async function prepared(): Promise<TestBody> {
  const flow = await activeFlow(shop, before);
  for (const name of ['a', 'b', 'c']) await track(shop, `${name}@example.com`, 'order_placed');
  await work(server);
  await later(server, DAY_MS);
  for (const name of ['d', 'e']) await track(shop, `${name}@example.com`, 'order_placed');
  await work(server);
  expect((await shop.marketing('PATCH', `/flows/${flow.flow_id}`, after)).status).toBe(200);
  return flow;
}
const standing = async (id: number) => (await shop.marketing('GET', `/flows/${id}/migration`)).body;
const runsOf = async (id: number) =>
  (await shop.marketing('GET', `/flows/${id}/runs?per_page=100`)).body.runs as TestBody[];

describe('a move of runs to another version', () => {
  it('is previewed, and leaves runs where they are that it was not told to move', async () => {
    const { flow_id } = await prepared();
    expect(await standing(flow_id)).toEqual({
      flow_id,
      version: 2,
      standing: [
        { version: 1, step_id: 'early', runs: 2, fits: true },
        { version: 1, step_id: 'gone', runs: 3, fits: false },
      ],
    });
    const moved = await shop.marketing('POST', `/flows/migrate/${flow_id}`);
    expect(moved.body).toMatchObject({ migrated: 2, pending: false });
    expect((await standing(flow_id)).standing).toEqual([{ version: 1, step_id: 'gone', runs: 3, fits: false }]);
    await expectSound(server);
  });

  it('takes each run once to the chosen step, with its log and the numbers of both steps', async () => {
    const { flow_id } = await prepared();
    const body = { moves: [{ step_id: 'gone', to: 'fresh' }] };
    expect((await shop.marketing('POST', `/flows/migrate/${flow_id}`, body)).body).toMatchObject({ migrated: 5 });
    expect((await standing(flow_id)).standing).toEqual([]);
    expect((await runsOf(flow_id)).map(({ version, step_id }) => `${version} ${step_id}`).sort()).toEqual([
      ...['2 early', '2 early', '2 fresh', '2 fresh', '2 fresh'],
    ]);
    expect((await shop.marketing('POST', `/flows/migrate/${flow_id}`, body)).body).toMatchObject({ migrated: 0 });
    await work(server);
    await expectSound(server);
    await later(server, DAY_MS);
    await later(server, DAY_MS);
    await later(server, DAY_MS);
    expect(await numbersOf(shop, flow_id)).toMatchObject({ entered: 5, active: 0, completed: 5 });
    const [first] = (await runsOf(flow_id)).slice(-1);
    const { log } = (await shop.marketing('GET', `/flows/runs/${first!.run_id}`)).body;
    const lines = log.map(({ step_id, result, detail }: Record<string, string>) => [step_id, result, detail]);
    expect(lines).toContainEqual(['gone', 'moved', 'fresh']);
    expect(lines.at(-1)!.slice(0, 2)).toEqual(['end', 'default']);
    expect((await shop.marketing('GET', '/contacts?tag=new')).body.pagination.total).toBe(5);
    await expectSound(server);
  });

  it('ends runs without a destination, and continues in slices in the background', async () => {
    const { flow_id } = await prepared();
    await server.rows(
      `insert into flow_tasks (company_id, flow_id, kind, moves, created_at, attempts, due_at)
       values ($1, $2, 'migrate', '[{"step_id": "gone", "to": null}]', $3, 12, $3)`,
      [shop.company_id, flow_id, server.clock.now()],
    );
    // After twelve failures a piece is a single run.
    await work(server);
    expect(await server.rows('select 1 from flow_tasks')).toEqual([]);
    expect(await numbersOf(shop, flow_id)).toMatchObject({ active: 2, exited: 3 });
    const ended = (await runsOf(flow_id)).filter(({ status }) => status === 'exited');
    expect(ended.map(({ reason }) => reason)).toEqual(['migrated', 'migrated', 'migrated']);
    await expectSound(server);
  });

  it('is refused where the newest version lacks the destination, or a step is moved twice', async () => {
    const { flow_id } = await prepared();
    const moves = [
      { step_id: 'gone', to: 'nowhere' },
      { step_id: 'gone', to: null },
    ];
    const { status, body } = await shop.marketing('POST', `/flows/migrate/${flow_id}`, { moves });
    expect([status, body.details.map(({ field }: { field: string }) => field)]).toEqual([
      ...[400, ['moves.0.to', 'moves.1.step_id']],
    ]);
  });

  /** Creates a task whose pieces are single runs, as after twelve failures. */
  const begin = (id: number, moves: object[]) =>
    server.rows(
      `insert into flow_tasks (company_id, flow_id, kind, moves, created_at, attempts, due_at)
       values ($1, $2, 'migrate', $3, $4, 12, $4)`,
      [shop.company_id, id, JSON.stringify(moves), server.clock.now()],
    );
  /** Runs one piece of the company's task, as the worker does. */
  const takePiece = () => createTasks({ ...server.app, enrolment: server.app.flows.enrolment })(shop.company_id);
  const places = async (id: number) =>
    (await runsOf(id)).map(({ version, step_id, status }) => `${version} ${step_id} ${status}`).sort();

  it('leaves runs where they are whose destination an edit between two pieces removed', async () => {
    const { flow_id } = await prepared();
    await begin(flow_id, [{ step_id: 'gone', to: 'fresh' }]);
    while (!(await places(flow_id)).includes('2 fresh active')) await takePiece();
    const [early, , end] = after.steps;
    const edit = { steps: [early, end], connections: [after.connections[0], { from: 'early', to: 'end' }] };
    expect((await shop.marketing('PATCH', `/flows/${flow_id}`, edit)).status).toBe(200);
    await work(server);
    expect(await server.rows('select 1 from flow_tasks')).toEqual([]);
    expect(await places(flow_id)).toEqual([
      ...['1 gone active', '1 gone active', '2 fresh active', '3 early active', '3 early active'],
    ]);
    await expectSound(server);
  });

  it('comes back for a run that a worker held', async () => {
    const { flow_id } = await prepared();
    await begin(flow_id, [{ step_id: 'gone', to: 'fresh' }]);
    const [first] = await server.rows<{ id: number }>(
      'select id from flow_runs where company_id = $1 and flow_id = $2 order by id limit 1',
      [shop.company_id, flow_id],
    );
    await server.app.db.tenantTx(shop.company_id, async (tx) => {
      await tx.query(sql`select from flow_runs where company_id = ${shop.company_id} and id = ${first!.id} for update`);
      await work(server);
      expect(await places(flow_id)).toEqual([
        ...['1 gone active', '2 early active', '2 early active', '2 fresh active', '2 fresh active'],
      ]);
    });
    await work(server);
    expect(await server.rows('select 1 from flow_tasks')).toEqual([]);
    expect((await places(flow_id)).filter((place) => place === '2 fresh active')).toHaveLength(3);
    await expectSound(server);
  });

  it('goes from run to run in the order of their ids, and never back', async () => {
    const { flow_id } = await prepared();
    await begin(flow_id, [{ step_id: 'gone', to: null }]);
    const ids = (await runsOf(flow_id)).map(({ run_id }) => run_id).sort((a, b) => a - b);
    const positions: number[] = [];
    for (;;) {
      await takePiece();
      const [task] = await server.rows<{ position: string }>(`select walk ->> 'position' as position from flow_tasks`);
      if (task === undefined) break;
      positions.push(Number(task.position));
    }
    expect(positions).toEqual(ids);
  });
});
