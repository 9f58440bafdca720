import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { serverAccount } from '../../db/embedded/account.ts';
import { freePort } from '../free-port.ts';
import { databaseOf } from '../global-setup.ts';
import type { TestBody } from '../harness.ts';
import { refuseWithout } from '../needed-programs.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../program.ts';

/** The first with `max_prepared_statements`. */
const NEEDED = [1, 21];

/** PgBouncer's version on this machine; null where it is not installed. */
function installed(): [number, number] | null {
  try {
    const found = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }));
    return found === null ? null : [Number(found[1]), Number(found[2])];
  } catch {
    return null;
  }
}

function supports([major, minor]: [number, number]): boolean {
  return major > NEEDED[0]! || (major === NEEDED[0] && minor >= NEEDED[1]!);
}

const version = installed();
const isNewEnough = version !== null && supports(version);
const overSocket = inject('postgres').connection.host?.startsWith('/') === true;
if (!isNewEnough) {
  refuseWithout('pgbouncer');
  const found = version === null ? 'is not installed' : `${version.join('.')} is older than ${NEEDED.join('.')}`;
  process.stderr.write(`SKIPPED: PgBouncer ${found}, requests are not tried through it here\n`);
}

const dataDir = temporaryDataFolder();
let folder: string;
let pooler: ChildProcess;
let url: string;
let database: string;

/** PgBouncer in transaction mode before a database of its own. */
async function startPooler(): Promise<void> {
  const { connection, template } = inject('postgres');
  database = `${template}_pooled`;
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${database} template ${template} strategy file_copy`);
  await admin.end();
  folder = mkdtempSync(join(tmpdir(), 'tradeloom-pgbouncer-'));
  const port = await freePort();
  const { host, user } = connection;
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${host} port=${connection.port} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options
${isNewEnough ? 'max_prepared_statements = 2000' : ''}
`,
  );
  // It does not run as root either.
  const { wrapper, identity } = await serverAccount({ uid: 0, gid: 0 });
  const [command, ...args] = [...wrapper, 'pgbouncer', join(folder, 'pgbouncer.ini')];
  pooler = spawn(command!, args, { ...identity, stdio: 'ignore' });
  const listens = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  for (let attempt = 0; !(await listens()); attempt++) {
    if (attempt > 600 || pooler.exitCode !== null) throw new Error('PgBouncer does not start');
    await sleep(50);
  }
  url = `postgres://${user}@127.0.0.1:${port}/${database}`;
}

describe('behind PgBouncer in transaction mode', () => {
  test('versions are compared by number', () => {
    expect(
      [
        [1, 18],
        [1, 21],
        [2, 0],
      ].map(([a, b]) => supports([a!, b!])),
    ).toEqual([false, true, true]);
  });
  if (version === null || !overSocket) return;

  beforeAll(startPooler);
  afterAll(async () => {
    pooler?.kill('SIGINT');
    if (pooler) await once(pooler, 'exit');
    await rm(folder, { recursive: true, force: true });
    const admin = new pg.Client(inject('postgres').connection);
    await admin.connect();
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  });

  if (!isNewEnough) {
    test('an older version is refused, with the version that is needed', async () => {
      const { code, stderr } = await tradeloom(['migrate', '--check'], {
        DATABASE_URL: url,
        TRADELOOM_DATA_DIR: dataDir,
      });
      expect(code).toBe(1);
      expect(stderr).toContain('PgBouncer 1.21 or newer is needed');
    });
    return;
  }

  test('migrations are refused with the way to run them', async () => {
    const direct = new pg.Client(databaseOf(inject('postgres').connection, database));
    await direct.connect();
    const { rows } = await direct.query('delete from schema_migrations where version = 1 returning *');
    const { code, stderr } = await tradeloom(['migrate'], { DATABASE_URL: url, TRADELOOM_DATA_DIR: dataDir });
    const [{ version: number, name, program_version, compatible }] = rows;
    const values = [number, name, program_version, compatible];
    await direct.query(
      'insert into schema_migrations (version, name, program_version, compatible) values ($1, $2, $3, $4)',
      values,
    );
    await direct.end();
    expect(code).toBe(1);
    expect(stderr).toContain('run tradeloom migrate with the address of the server itself');
  });

  test('both APIs serve requests, many at once', async () => {
    const env = { DATABASE_URL: url, TRADELOOM_DATA_DIR: dataDir };
    const program: Program = await startProgram(['--empty'], env);
    const json = async (args: string[]): Promise<TestBody> =>
      JSON.parse((await tradeloom([...args, '--json'], env)).stdout);
    const company = String((await json(['companies', 'create', '--name', 'Corner shop'])).company_id);
    const wanted = ['--company', company, '--name', 'till', '--scope', '*', '--requests-per-hour', '0'];
    const { key } = await json(['keys', 'create', ...wanted]);
    const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: TestBody }> => {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': key,
        authorization: `Bearer ${key}`,
        'x-company-id': company,
      };
      const response = await fetch(program.origin + path, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as TestBody };
    };
    const product = (await call('POST', '/commerce/v1/products', { name: 'Tea', price: 3, stock_qty: 1_000 })).body.data
      .id;
    const customer = (await call('POST', '/commerce/v1/customers', { email: 'a@example.com' })).body.data.id;
    const address = { shipping_address: '1', shipping_city: 'X', shipping_zip: '1' };
    const order = { customer_id: customer, items: [{ product_id: product, qty: 1 }], ...address };
    for (let round = 0; round < 5; round++) {
      const requests = Array.from({ length: 40 }, (_, i) => {
        if (i % 4 === 0) return call('POST', '/commerce/v1/orders', order);
        if (i % 4 === 1) return call('GET', '/commerce/v1/orders?per_page=20');
        if (i % 4 === 2) return call('POST', '/marketing/v1/contacts', { email: `c${round}-${i}@example.com` });
        return call('GET', `/commerce/v1/products/${product}`);
      });
      const refused = (await Promise.all(requests)).filter(({ status }) => status >= 300);
      expect(refused).toEqual([]);
    }
    expect((await call('GET', `/commerce/v1/products/${product}/inventory`)).body.data.stock_qty).toBe(950);
    expect((await program.end('SIGTERM')).code).toBe(0);
  });
});
