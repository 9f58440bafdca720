import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { API_KEY_PATTERN } from '../../access/api-keys.ts';
import { findEmbedded } from '../../db/embedded/embedded.ts';
import { databaseOf } from '../../testing/global-setup.ts';
import { npmStart, type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';

const shell = promisify(execFile);

/** The commands that the terminal offers to paste. */
function commandsIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^ {2}(sleep \d; )?curl /.test(line))
    .map((line) => line.trim());
}

async function paste<T = object>(command: string, env: Record<string, string> = {}): Promise<T> {
  const { stdout } = await shell('sh', ['-c', command], { env: { PATH: process.env.PATH, ...env } });
  return JSON.parse(stdout) as T;
}

function keyIn(text: string): string {
  return /API key +(\S+)/.exec(text)![1]!;
}

async function orderTotal(program: Program, key: string): Promise<number> {
  const response = await fetch(`${program.origin}/commerce/v1/orders?per_page=1`, { headers: { 'X-API-Key': key } });
  return ((await response.json()) as { meta: { pagination: { total: number } } }).meta.pagination.total;
}

describe('the life of one data folder', { timeout: 300_000 }, () => {
  const dataDir = temporaryDataFolder();
  const AT = ['--data-dir', dataDir];
  let program: Program;
  let key: string;
  let first: string;

  test('the first start makes the demo shop and shows its secrets and what to try', async () => {
    program = await startProgram(AT, { LOG_LEVEL: 'info' });
    first = program.stdout();
    key = keyIn(first);
    expect(key).toMatch(API_KEY_PATTERN);
    expect(first).toMatch(/webhook secret +whsec_[A-Za-z0-9+/]{43}=\n/);
    expect(first).toMatch(new RegExp(`^\nAdmin app +${program.origin}/admin/sign-in\\?token=[\\w-]{43}\n`));
    expect(await orderTotal(program, key)).toBeGreaterThan(100);
    expect(await tradeloom(['clock', 'advance', '1d', '--port', new URL(program.origin).port])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `The server at ${program.origin} runs without --test-clock.\n`,
    });
  });

  test('the printed commands, pasted all at once, place an order and show its run and its e-mail', async () => {
    const before = await orderTotal(program, key);
    const { stdout } = await shell('sh', ['-c', commandsIn(first).join('\necho\n')], {
      env: { PATH: process.env.PATH },
    });
    const [order, runs, mail] = stdout.split('\n').map((line) => JSON.parse(line));
    expect(order.data.status).toBe('pending');
    expect(await orderTotal(program, key)).toBe(before + 1);
    expect(runs).toMatchObject({ runs: [{ status: 'completed' }] });
    expect(mail).toMatchObject({ subject: `We have received your order ${order.data.id}` });
    expect(await paste(commandsIn(first)[1]!)).toMatchObject({ runs: [{ status: 'completed', step_id: 'en' }] });
  });

  test('a second program on the same folder is refused, and the first goes on', async () => {
    const { code, stdout, stderr } = await tradeloom(['start', '--port', '0', ...AT]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Another Tradeloom program already uses the data folder .*: stop it first, .*\.\n$/);
    expect((await fetch(`${program.origin}/health/ready`)).status).toBe(200);
  });

  test('commands share the running database, and a revoked key is refused within a second', async () => {
    const made = await tradeloom([
      'keys',
      'create',
      '--company',
      '1',
      '--name',
      'x',
      '--scope',
      'orders:read',
      '--json',
      ...AT,
    ]);
    const fresh = JSON.parse(made.stdout) as { key: string; key_id: number };
    const status = async () =>
      (await fetch(`${program.origin}/commerce/v1/orders`, { headers: { 'X-API-Key': fresh.key } })).status;
    expect(await status()).toBe(200);
    await tradeloom(['keys', 'revoke', '--key-id', String(fresh.key_id), ...AT]);
    await expect.poll(status).toBe(401);
  });

  test('after kill -9 the next start has everything that was acknowledged, and tells no secret again', async () => {
    const before = await orderTotal(program, key);
    const { stderr } = await program.end('SIGKILL');
    const lines = stderr.split('\n').filter((line) => line.includes('"msg":"started"'));
    const applied = expect.arrayContaining([expect.stringMatching(/^0001/)]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ migrations_applied: applied }]);
    program = await startProgram(AT);
    expect(await orderTotal(program, key)).toBe(before);
    expect(program.stdout()).not.toContain('tl_live_');
    expect(program.stdout()).not.toContain('whsec_');
  });

  test('later starts print the commands with a variable for the key', async () => {
    const commands = commandsIn(program.stdout());
    expect(commands).toHaveLength(3);
    expect(await paste(commands[0]!, { TRADELOOM_KEY: key })).toMatchObject({ success: true });
  });

  test('SIGTERM completes the request in flight and exits with 0', async () => {
    const blocker = new pg.Client(await findEmbedded(dataDir));
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('select * from product_stock for update');
    const response = paste(commandsIn(program.stdout())[0]!, { TRADELOOM_KEY: key });
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
    await expect.poll(async () => (await blocker.query(waiting)).rows.length).toBeGreaterThan(0);
    const ended = program.end('SIGTERM');
    const live = () => fetch(`${program.origin}/health/live`).catch(() => 'refused');
    await expect.poll(live).toBe('refused');
    await blocker.query('rollback');
    await blocker.end();
    expect(await response).toMatchObject({ success: true, data: { status: 'pending' } });
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('SIGINT ends it with 0, too', async () => {
    program = await startProgram(AT);
    expect((await program.end('SIGINT')).code).toBe(0);
  });

  test('npm start hands SIGTERM on, and ends as the program does', async () => {
    program = await npmStart({ TRADELOOM_DATA_DIR: dataDir });
    expect((await program.end('SIGTERM')).code).toBe(0);
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });
});

describe('a start with --empty', { timeout: 300_000 }, () => {
  const dataDir = temporaryDataFolder({ prepared: true });
  let key: string;

  test.each([
    ['makes nothing', ['--empty']],
    ['is followed by others that make nothing either', []],
  ])('%s', async (_name, flags) => {
    const program = await startProgram(['--data-dir', dataDir, ...flags]);
    expect(program.stdout()).not.toContain('curl');
    await program.end('SIGTERM');
  });

  test('creates the demo shop only on request, once', async () => {
    const made = await tradeloom(['demo', '--json', '--data-dir', dataDir]);
    const shop = JSON.parse(made.stdout);
    expect(shop).toMatchObject({ company_id: 1, key: expect.stringMatching(API_KEY_PATTERN) });
    key = shop.key;
    expect(await tradeloom(['demo', '--data-dir', dataDir])).toMatchObject({
      code: 1,
      stderr: 'The demo shop already exists; see tradeloom companies list.\n',
    });
  });

  /** Advances the program's clock; returns the days that it is ahead of this machine's. */
  async function advance(program: Program, duration: string): Promise<number> {
    const { port } = new URL(program.origin);
    const moved = await tradeloom(['clock', 'advance', duration, '--port', port, '--json']);
    const { now } = JSON.parse(moved.stdout) as { now: string };
    return (new Date(now).getTime() - Date.now()) / 86_400_000;
  }

  test('with the test clock lives through a month of subscriptions and flows in seconds, each thing in its day', async () => {
    const program = await startProgram(['--data-dir', dataDir, '--test-clock']);
    expect(await advance(program, '30 days')).toBeCloseTo(30, 1);

    const renewed = await fetch(`${program.origin}/commerce/v1/orders?is_subscription=true&per_page=100`, {
      headers: { 'X-API-Key': key },
    });
    const orders = ((await renewed.json()) as { data: { created_at: string }[] }).data;
    expect(orders.length).toBeGreaterThanOrEqual(9);
    expect(new Set(orders.map((order) => order.created_at.slice(0, 10))).size).toBeGreaterThan(5);

    const caught = await fetch(`${program.origin}/marketing/v1/mailbox?per_page=100`, {
      headers: { Authorization: `Bearer ${key}`, 'X-Company-ID': '1' },
    });
    const subjects = ((await caught.json()) as { messages: { subject: string }[] }).messages.map((one) => one.subject);
    expect(subjects.filter((subject) => subject.startsWith('We have received')).length).toBeGreaterThanOrEqual(
      orders.length,
    );
    expect(subjects).toEqual(expect.arrayContaining(['How was it?', 'Before everybody else']));
    expect(await tradeloom(['doctor', '--data-dir', dataDir])).toMatchObject({ code: 0 });
    await program.end('SIGTERM');
  });

  let later: Program;

  test('continues the test clock at the next start from its last time', async () => {
    later = await startProgram(['--data-dir', dataDir, '--test-clock']);
    expect(await advance(later, '12h')).toBeCloseTo(30.5, 1);
  });

  test('is not to be had from elsewhere or without its flag, nor in production', async () => {
    const move = (headers: Record<string, string>) =>
      fetch(`${later.origin}/admin/api/test-clock`, { method: 'POST', headers, body: '{"advance":"1d"}' });
    const json = { 'Content-Type': 'application/json' };
    expect((await move({ ...json, 'X-Forwarded-For': '203.0.113.1' })).status).toBe(404);
    expect((await move({ 'Content-Type': 'text/plain' })).status).toBe(400);
    expect((await move(json)).status).toBe(200);
    await later.end('SIGTERM');
    const refused = await tradeloom(['start', '--test-clock'], { TRADELOOM_MODE: 'production' });
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: '--test-clock is refused in production mode.\n' });
  });
});

describe('processes that share one database', { timeout: 300_000 }, () => {
  const { connection, template } = inject('postgres');
  let env: Record<string, string>;
  let programs: Program[];
  let key: string;

  /** Creates a database for this test on the server of the test run, empty or of another; returns its address. */
  async function freshDatabase(name: string, from = 'template1'): Promise<string> {
    const admin = new pg.Client(connection);
    await admin.connect();
    await admin.query(`create database ${template}_${name} template ${from} strategy file_copy`);
    await admin.end();
    const own = databaseOf(connection, `${template}_${name}`);
    return own.connectionString ?? `postgres:///${own.database}?host=${own.host}&user=${own.user}&port=${own.port}`;
  }

  test('started at once on an empty database, one migrates and one makes the demo shop', async () => {
    env = { DATABASE_URL: await freshDatabase('roles'), TRADELOOM_DATA_DIR: temporaryFolder };
    programs = await Promise.all([startProgram(['--role', 'api'], env), startProgram([], env)]);
    const told = programs.map((program) => program.stdout()).filter((text) => text.includes('tl_live_'));
    expect(told).toHaveLength(1);
    key = keyIn(told[0]!);
    const { checks } = JSON.parse((await tradeloom(['doctor', '--json'], env)).stdout) as { checks: object[] };
    expect(checks).toContainEqual(expect.objectContaining({ id: 'secrets', ok: true }));
  });

  test('refuse a port in use and the address of another machine', async () => {
    const { port } = new URL(programs[0]!.origin);
    expect(await tradeloom(['start', '--port', port], env)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Port ${port} is in use. Choose another one with --port.\n`,
    });
    // An address reserved for documentation: no machine has it.
    expect(await tradeloom(['start', '--port', '0', '--host', '203.0.113.1'], env)).toMatchObject({
      code: 1,
      stderr: '203.0.113.1 is not an address of this machine. Choose another one with --host.\n',
    });
  });

  test('serve the same shop, and end', async () => {
    for (const program of programs) {
      expect(await orderTotal(program, key)).toBeGreaterThan(100);
      expect((await program.end('SIGTERM')).code).toBe(0);
    }
  });

  test('production creates no demo shop and rejects a database that may lose acknowledged commits', async () => {
    const url = await freshDatabase('production', template);
    const env = { DATABASE_URL: url, TRADELOOM_DATA_DIR: temporaryFolder, TRADELOOM_MODE: 'production' };
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`alter database ${template}_production set synchronous_commit = off`);
    const refused = await tradeloom(['start', '--port', '0'], env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^PostgreSQL runs with (fsync|synchronous_commit)=off, so that a crash .*\.\n$/);
    await admin.end();
  });
});

const temporaryFolder = temporaryDataFolder();
