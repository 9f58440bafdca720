import pg from 'pg';
import { expect, test } from 'vitest';
import { findEmbedded } from '../../../db/embedded/embedded.ts';
import type { TestBody } from '../../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../../testing/program.ts';
import { random } from '../../../testing/random/seed.ts';

// The same at full size: CAMPAIGN_FAN_OUT_KILLS=20 CAMPAIGN_FAN_OUT=500000 vitest run src/marketing/campaigns/time-zones/crash.test.ts
const KILLS = Number(process.env.CAMPAIGN_FAN_OUT_KILLS ?? 1);
const RECIPIENTS = Number(process.env.CAMPAIGN_FAN_OUT ?? 20_000);
const HOUR = 3_600_000;
/** The zone of the first hundred, the only ones who get it today, and that of the others. */
const [FIRST, LATER] = ['Pacific/Kiritimati', 'America/New_York'];

const dataDir = temporaryDataFolder({ prepared: true });

async function json(args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (let attempts = 0; !(await reached()); attempts++) {
    if (attempts > 12_000) throw new Error('it takes too long');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test(`an audience of ${RECIPIENTS} is drawn once, each with a message due by their own clock or held out, over ${KILLS} kills with -9`, {
  timeout: 240_000 + KILLS * 30_000,
}, async () => {
  const pick = random(1);
  let program: Program = await startProgram(['--empty', '--data-dir', dataDir], {});
  const company = String((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const options = ['--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(['keys', 'create', ...options]);
  const call = async (method: string, path: string, body?: unknown): Promise<TestBody> => {
    const response = await fetch(`${program.origin}/marketing/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-company-id': company },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return response.json();
  };
  const database = new pg.Client(await findEmbedded(dataDir));
  await database.connect();
  const numberOf = async (text: string, id: number): Promise<number> =>
    Number((await database.query<{ n: string }>(text, [id])).rows[0]!.n);
  const { list_id } = await call('POST', '/lists', { name: 'Everybody' });
  await database.query(
    `with made as (
       insert into contacts (company_id, email, properties, search, created_at, updated_at)
       select $1, 'p' || n || '@example.com', jsonb_build_object('timezone', case when n <= 100 then $3 else $4 end),
         '', now(), now() from generate_series(1, $5::int) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', now(), now() from made`,
    [company, list_id, FIRST, LATER, RECIPIENTS],
  );
  // The wall-clock time that Kiritimati shows in three seconds.
  const first = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000);
  const scheduled_at = new Date(first.getTime() + 14 * HOUR).toISOString();
  const { campaign_id: id, ...made } = await call('POST', '/campaigns', {
    name: 'Crash',
    type: 'email',
    subject: 'Hello',
    content: '<p>Hello</p>',
    list_id,
    holdout_percent: 10,
    send_in_contact_time_zone: true,
    scheduled_at,
    timezone: 'UTC',
  });
  expect(made).toMatchObject({ status: 'scheduled' });
  for (let kill = 0; kill < KILLS; kill++) {
    const written = ((kill + 0.1 + pick(70) / 100) * RECIPIENTS * 0.9) / KILLS;
    await until(
      async () => (await numberOf('select count(*) as n from messages where campaign_id = $1', id)) >= written,
    );
    await program.end('SIGKILL');
    // Expire the claims of the dead worker.
    await database.query("update message_claims set lease_until = now() - interval '1 second'");
    program = await startProgram(['--empty', '--data-dir', dataDir], {});
  }
  await until(async () => (await numberOf('select count(recipients) as n from campaigns where id = $1', id)) === 1);
  const waiting = "select count(*) as n from messages where campaign_id = $1 and due_at <= now() and status = 'queued'";
  await until(async () => (await numberOf(waiting, id)) === 0);
  const { recipients, held_out, status, counts } = await call('GET', `/campaigns/${id}`);
  expect([recipients + held_out, status]).toEqual([RECIPIENTS, 'sending']);
  expect(Math.abs(held_out / RECIPIENTS - 0.1)).toBeLessThan(0.02);
  expect(await numberOf('select count(distinct contact_id) as n from messages where campaign_id = $1', id)).toBe(
    recipients,
  );
  const { rows: due } = await database.query(
    `select c.properties ->> 'timezone' as zone, m.due_at, count(*)::int as n
     from messages m join contacts c on c.id = m.contact_id where m.campaign_id = $1 group by 1, 2 order by 1`,
    [id],
  );
  const wall = new Date(first.getTime() + 14 * HOUR).toISOString().slice(0, 19);
  const { rows: moments } = await database.query('select ($1::timestamp at time zone $2) as at', [wall, LATER]);
  expect(due.map(({ zone, due_at }) => [zone, due_at])).toEqual([
    [LATER, moments[0]!.at],
    [FIRST, first],
  ]);
  // Messages that were being handed over at a kill may be unknown; all others of today were sent.
  expect(counts.sent + counts.unknown).toBe(due[1]!.n);
  expect(counts.queued).toBe(due[0]!.n);
  await database.end();
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  await program.end('SIGTERM');
});
