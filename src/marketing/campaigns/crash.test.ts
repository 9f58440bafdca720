import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { findEmbedded } from '../../db/embedded/embedded.ts';
import { type SinkAction, startCountingSink } from '../../messaging/testing/sink.ts';
import type { TestBody } from '../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';
import { random } from '../../testing/random/seed.ts';

// The same at full size: CAMPAIGN_KILLS=50 CAMPAIGN_PEOPLE=50000 vitest run src/marketing/campaigns/crash.test.ts
// CAMPAIGN_BATCH=20 for messages that share a connection.
const KILLS = Number(process.env.CAMPAIGN_KILLS ?? 1);
const RECIPIENTS = Number(process.env.CAMPAIGN_PEOPLE ?? 600);
const CONNECTIONS = 8;
const BATCH = Number(process.env.CAMPAIGN_BATCH ?? 1);

const dataDir = temporaryDataFolder({ prepared: true });

/** What happens to the first attempt, by recipient number modulo 100. */
const ACTIONS = new Map<number, SinkAction>([
  [3, 'store-then-drop'],
  [21, 'drop-before-dot'],
  [42, 'drop-at-data'],
  [43, 'drop-at-data'],
  [60, 'later'],
  [61, 'later'],
  [80, 'late'],
  [81, 'late'],
]);
const seen = new Set<string>();
const sink = await startCountingSink((to) => {
  if (seen.has(to)) return 'store';
  seen.add(to);
  return ACTIONS.get(Number(/^p(\d+)@/.exec(to)?.[1]) % 100) ?? 'store';
}, /SPRING(-[A-Z]{4}){3}/);
afterAll(() => sink.close());

async function json(args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

function start(): Promise<Program> {
  const env = { SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off&connections=${CONNECTIONS}&batch=${BATCH}` };
  return startProgram(['--empty', '--data-dir', dataDir], env);
}

async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempts = 0; !(await reached()); attempts++) {
    if (attempts > 60_000) throw new Error('it takes too long');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test(`a campaign to ${RECIPIENTS} reaches nobody twice and misses nobody, each with a coupon of their own, over ${KILLS} kills with -9`, {
  timeout: 240_000 + KILLS * 20_000,
}, async () => {
  const pick = random(1);
  let program: Program = await start();
  const company = String((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const options = ['--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(['keys', 'create', ...options]);
  const call = async (method: string, path: string, body?: unknown, side = 'marketing'): Promise<TestBody> => {
    const response = await fetch(`${program.origin}/${side}/v1${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-api-key': key,
        'x-company-id': company,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return response.json();
  };
  const database = new pg.Client(await findEmbedded(dataDir));
  await database.connect();
  /** Shortens waiting: expires claims of dead workers, and makes postponed messages due. */
  const letTimePass = () =>
    database.query(`
      with ended as (
        update message_claims set lease_until = now() - interval '1 second' returning 1
      )
      update messages set due_at = now() where status = 'queued' and due_at > now()`);

  const template = { code: 'SPRING', type: 'percent', value: 10, is_template: true };
  const { data: promo } = await call('POST', '/promo-codes', template, 'commerce');
  const { list_id } = await call('POST', '/lists', { name: 'Everybody' });
  for (let from = 0; from < RECIPIENTS; from += 500) {
    const contacts = Array.from({ length: Math.min(500, RECIPIENTS - from) }, (_, i) => {
      return { email: `p${from + i}@example.com`, list_ids: [list_id] };
    });
    await call('POST', '/contacts/batch', { contacts });
  }
  const mail = {
    name: 'Crash',
    type: 'email',
    subject: 'Hello',
    content: '<p>Hello {{ contact.email }}, {{ coupon.SPRING }}</p>',
  };
  const { campaign_id } = await call('POST', '/campaigns', { ...mail, list_id });
  expect((await call('POST', `/campaigns/send/${campaign_id}`)).recipients).toBe(RECIPIENTS);
  for (let kill = 0; kill < KILLS; kill++) {
    // Each kill comes at a different moment: after a larger number of mails has arrived.
    const stored = ((kill + 0.1 + pick(70) / 100) * RECIPIENTS * 0.9) / KILLS;
    await until(() => sink.stored.size >= stored);
    await program.end('SIGKILL');
    await letTimePass();
    program = await start();
  }
  const read = () => call('GET', `/campaigns/${campaign_id}`);
  await until(async () => {
    await database.query("update messages set due_at = now() where status = 'queued' and due_at > now()");
    return (await read()).status === 'sent';
  });

  const { recipients, counts } = await read();
  expect(recipients).toBe(RECIPIENTS);
  expect(counts).toMatchObject({ queued: 0, failed: 0, skipped: 0, sent: RECIPIENTS - counts.unknown });
  const unknown: TestBody[] = [];
  for (let page = 1; unknown.length < counts.unknown; page++) {
    const query = `/campaigns/${campaign_id}/recipients?state=unknown&per_page=100&page=${page}`;
    const listed = (await call('GET', query)).recipients;
    if (listed.length === 0) break;
    unknown.push(...listed);
  }
  expect(unknown).toHaveLength(counts.unknown);
  const doubtful = new Set(unknown.map((one) => one.recipient));
  const wrong: string[] = [];
  for (let i = 0; i < RECIPIENTS; i++) {
    const address = `p${i}@example.com`;
    const times = sink.stored.get(address) ?? 0;
    if (times > 1 || (times === 0 && !doubtful.has(address))) wrong.push(`${address} ${times} times`);
  }
  expect(wrong).toEqual([]);
  // Everyone who was sent a mail, once or also by an attempt with an unknown outcome, got exactly one coupon, shared with nobody.
  const perPerson = [...sink.captured.values()];
  expect(perPerson).toHaveLength(sink.stored.size);
  expect(perPerson.filter((codes) => codes.size !== 1)).toEqual([]);
  const codes = new Set(perPerson.flatMap((one) => [...one]));
  expect(codes.size).toBe(perPerson.length);
  const { rows: made } = await database.query<{ code: string }>(
    `select c.code from message_coupons c join promo_codes p on p.template_id = c.template_id and p.code = c.code
     where c.template_id = $1`,
    [promo.id],
  );
  for (const { code } of made) codes.delete(code);
  expect([...codes]).toEqual([]);
  const { rows: all } = await database.query('select id from promo_codes where template_id = $1', [promo.id]);
  expect([made.length, all.length]).toEqual([RECIPIENTS, RECIPIENTS]);
  // Either interrupted by a kill, or not acknowledged by the mail server.
  const interrupted = unknown.filter((one) => one.reason === 'hand_over_interrupted').length;
  expect(interrupted).toBeLessThanOrEqual(KILLS * CONNECTIONS * BATCH);
  const unanswered = (sink.done.get('store-then-drop') ?? 0) + (sink.done.get('drop-before-dot') ?? 0);
  expect(unknown.length - interrupted).toBeLessThanOrEqual(unanswered);
  if (process.env.CAMPAIGN_PEOPLE) {
    const figures = { kills: KILLS, stored: sink.stored.size, interrupted, unknown: unknown.length };
    process.stdout.write(`${JSON.stringify({ ...figures, ...Object.fromEntries(sink.done) })}\n`);
  }
  await database.end();
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  await program.end('SIGTERM');
});
