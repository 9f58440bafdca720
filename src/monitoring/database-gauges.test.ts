import { describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { sql } from '../db/sql.ts';
import { testServer } from '../testing/harness.ts';
import { WORKER_NAMES } from '../work/worker-names.ts';
import { createDatabaseGauges } from './database-gauges.ts';
import { MOST_COUNTED, queueFigures } from './queries.ts';
import { QUEUE_NAMES, QUEUES_OF_PEOPLE, QUEUES_OF_WORKERS } from './queues.ts';

const server = testServer();

describe('the figures of queues', () => {
  it('count what is due, over all companies, with the age of the oldest', async () => {
    const { db } = server.app;
    const [one, other] = [await server.company(), await server.company()];
    for (const [shop, minutes] of [
      [one, 5],
      [other, 20],
    ] as const) {
      const at = new Date(systemClock.now().getTime() - minutes * 60_000);
      await db.query(sql`insert into outbox (company_id, topic, payload, occurred_at)
        select ${shop.company_id}, 'order_completed', '{}'::jsonb, ${at} from generate_series(1, 3)`);
    }
    const now = systemClock.now();
    const outbox = (await queueFigures(db, now)).find(({ queue }) => queue === 'outbox')!;
    expect(outbox.items).toBe(6);
    expect((now.getTime() - outbox.oldest!.getTime()) / 60_000).toBeCloseTo(20, 0);

    const read = createDatabaseGauges({ db: db.chores, clock: systemClock, log: server.app.log });
    const text = await read();
    expect(text).toContain('tradeloom_queue_items{queue="outbox"} 6');
    expect(text).toMatch(/tradeloom_queue_age_seconds\{queue="outbox"\} 1[12]\d\d/);
    expect(text).toContain('tradeloom_queue_items{queue="flow_runs"} 0');
    expect(text).toContain('tradeloom_database_up 1');
    expect(text).not.toContain('company');
  });

  it('stop counting at a bound', async () => {
    const { db } = server.app;
    const { company_id: id } = await server.company();
    await db.query(sql`insert into outbox (company_id, topic, payload, occurred_at)
      select ${id}, 'order_completed', '{}'::jsonb, now() from generate_series(1, ${MOST_COUNTED + 500})`);
    const outbox = (await queueFigures(db, systemClock.now())).find(({ queue }) => queue === 'outbox')!;
    expect(outbox.items).toBe(MOST_COUNTED);
  });

  it('leave out what waits for its time', async () => {
    const { db } = server.app;
    const figures = await queueFigures(db, new Date(0));
    expect(figures.filter(({ queue }) => /messages|flow|deliveries|renewals/.test(queue)).map((q) => q.items)).toEqual(
      figures.filter(({ queue }) => /messages|flow|deliveries|renewals/.test(queue)).map(() => 0),
    );
  });

  it('say that the database is down, and give no stale figures', async () => {
    const broken = { query: () => Promise.reject(new Error('gone')) };
    const db = { ...broken } as unknown as typeof server.app.db;
    const text = await createDatabaseGauges({ db, clock: systemClock, log: server.app.log })();
    expect(text).toContain('tradeloom_database_up 0');
    expect(text).not.toMatch(/^tradeloom_queue_items\{/m);
  });
});

describe('every worker', () => {
  it('has its queue, and every queue its worker or people who decide', () => {
    expect(server.app.workers.map(({ name }) => name).toSorted()).toEqual(WORKER_NAMES.toSorted());
    expect(Object.keys(QUEUES_OF_WORKERS).toSorted()).toEqual(WORKER_NAMES.toSorted());
    const worked = WORKER_NAMES.flatMap((name) => QUEUES_OF_WORKERS[name]);
    expect(QUEUE_NAMES.filter((name) => !worked.includes(name) && !QUEUES_OF_PEOPLE.includes(name))).toEqual([]);
  });

  it('has what waits for it counted', async () => {
    const { db } = server.app;
    const { company_id: id } = await server.company();
    const before = await queueFigures(db, systemClock.now());
    await server.rows(
      `insert into imports (company_id, format, file_name, status, actor, created_at, lease_until)
       values ($1, 'csv', 'a', 'running', 'x', now() - interval '1 hour', null), ($1, 'csv', 'held', 'running', 'x', now(), now() + interval '1 minute')`,
      [id],
    );
    await server.rows(
      `insert into bulk_actions (company_id, action, filters, status, upto, total, actor, created_at)
       values ($1, 'ship_orders', '{}', 'running', 1, 1, 'x', now() - interval '1 hour')`,
      [id],
    );
    await server.rows(
      `insert into campaigns (company_id, name, type, status, scheduled_at, started_at, created_at, updated_at) values
         ($1, 'due', 'email', 'scheduled', now() - interval '1 hour', null, now(), now()),
         ($1, 'later', 'email', 'scheduled', now() + interval '1 hour', null, now(), now()),
         ($1, 'begun', 'email', 'sending', null, now() - interval '1 hour', now(), now())`,
      [id],
    );
    await server.rows(
      `insert into retention_progress (company_id, kind, next_at) values ($1, 'mailbox', now() - interval '1 hour'), ($1, 'events', '-infinity')`,
      [id],
    );
    const [contact] = await server.rows<{ id: string }>(
      `insert into contacts (company_id, email, search, email_consent, created_at, updated_at)
       values ($1, 'q@example.com', 'q', 'unsubscribed', now(), now()) returning id`,
      [id],
    );
    const lists = await server.rows<{ id: string }>(
      `insert into lists (company_id, name, deleted_at, created_at, updated_at)
       values ($1, 'gone', now() - interval '1 hour', now(), now()), ($1, 'there', null, now(), now()) returning id`,
      [id],
    );
    await server.rows(
      `insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
       values ($1, $2, $4, 'active', now(), now()), ($1, $3, $4, 'pending', now(), now() - interval '1 hour')`,
      [id, lists[0]!.id, lists[1]!.id, contact!.id],
    );
    const after = await queueFigures(db, systemClock.now());
    const more = after.filter(({ queue, items }) => items === before.find((one) => one.queue === queue)!.items + 1);
    expect(more.map(({ queue }) => queue).toSorted()).toEqual([
      ...['bulk_actions', 'campaign_audiences', 'campaigns', 'confirmations', 'imports', 'list_purges', 'retention'],
    ]);
    for (const { queue, oldest } of more) {
      expect([queue, Math.round((systemClock.now().getTime() - oldest!.getTime()) / 3_600_000)]).toEqual([queue, 1]);
    }
  });
});
