import { describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { sql } from '../db/sql.ts';
import { testServer } from '../testing/harness.ts';
import { createDatabaseGauges } from './database-gauges.ts';
import { MOST_COUNTED, queueFigures } from './queries.ts';

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

  it('say that the database is down, and give no figures of before', async () => {
    const broken = { query: () => Promise.reject(new Error('gone')) };
    const db = { ...broken } as unknown as typeof server.app.db;
    const text = await createDatabaseGauges({ db, clock: systemClock, log: server.app.log })();
    expect(text).toContain('tradeloom_database_up 0');
    expect(text).not.toMatch(/^tradeloom_queue_items\{/m);
  });
});
