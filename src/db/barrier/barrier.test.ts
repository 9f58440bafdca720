import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { inSnapshot } from '../../marketing/segments/service.ts';
import { connectionUrl } from '../../testing/global-setup.ts';
import { testServer } from '../../testing/harness.ts';
import { temporaryDataFolder, tradeloom } from '../../testing/program.ts';
import { createDb } from '../create-db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../embedded/embedded.ts';
import { scratchFolder } from '../embedded/fixtures.ts';
import { migrate } from '../migrate.ts';
import type { Queryable } from '../pool.ts';
import { rawSql } from '../sql.ts';
import { workOn } from './work-connection.ts';

const WHO = rawSql(`select current_user as worker, session_user as login, rolsuper, rolbypassrls
  from pg_roles where rolname = current_user`);
interface Who {
  worker: string;
  login: string;
  rolsuper: boolean;
  rolbypassrls: boolean;
}
const who = async (db: Queryable): Promise<Who> => (await db.query<Who>(WHO))[0]!;

describe('the program’s database user', () => {
  const server = testServer();

  it('is in the embedded server neither superuser nor above row-level security, and owns nothing', async () => {
    const program = 'tradeloom_program';
    expect(await who(server.app.db)).toEqual({ worker: program, login: program, rolsuper: false, rolbypassrls: false });
    const owners = await server.rows<{ owner: string }>(`
      select distinct pg_get_userbyid(relowner) as owner from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S')`);
    expect(owners).toEqual([{ owner: 'tradeloom_owner' }]);
    const change = (text: string) =>
      server.app.db.query(rawSql(text)).then(
        () => 'done',
        ({ code }) => code,
      );
    for (const text of [
      'alter table orders disable row level security',
      'drop policy one_company on orders',
      'set role tradeloom_owner',
      'create table t ()',
      'delete from audit_log',
      'truncate orders',
    ]) {
      expect([text, await change(text)]).toEqual([text, '42501']);
    }
  });

  it('works behind policies that hold for the owner, too', async () => {
    const open = await server.rows(`
      select c.relname from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not (c.relrowsecurity and c.relforcerowsecurity)`);
    expect(open).toEqual([]);
  });

  it('reads by the rules of segments as the company itself', async () => {
    const { company_id } = await server.company();
    await inSnapshot(server.app.db, company_id, async (tx, addedUpTo) => {
      expect((await who(tx)).worker).toBe('tradeloom_tenant');
      expect(await tx.query(rawSql('show transaction_isolation'))).toEqual([
        { transaction_isolation: 'repeatable read' },
      ]);
      expect(addedUpTo === null || addedUpTo instanceof Date).toBe(true);
    });
  });
});

describe('the barrier of a database of the operator’s own', () => {
  let folder: Awaited<ReturnType<typeof scratchFolder>>;
  let postgres: EmbeddedPostgres;
  let admin: pg.Client;
  beforeAll(async () => {
    folder = await scratchFolder();
    postgres = await startEmbedded({ dataDir: folder.path, log: () => {}, extraSettings: { fsync: 'off' } });
    admin = new pg.Client(postgres.connection);
    admin.on('error', () => {});
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await postgres.stop();
    await folder[Symbol.asyncDispose]();
  });

  const database = async (name: string, owner: string): Promise<pg.ClientConfig> => {
    await admin.query(`create role ${owner} login`);
    await admin.query(`create database ${name} owner ${owner}`);
    return { connectionString: connectionUrl({ ...postgres.connection, database: name, user: owner }) };
  };
  const start = (connection: pg.ClientConfig, settings: Record<string, string>) =>
    createApp({
      config: { ...readConfig({ port: 0, dataDir: folder.path }, settings), logLevel: 'silent' },
      clock: { now: () => new Date(0) },
      connection,
    });
  const PRODUCTION = { TRADELOOM_MODE: 'production' };

  it('is missing where its user may not make roles: production refuses, says why, and starts when the roles are made', async () => {
    const shop = await database('plain', 'plain_owner');
    await migrate(shop);
    const { barrier, gaps } = await workOn(shop);
    expect(barrier).toBe(false);
    expect(gaps).toContain('the role tradeloom_tenant does not exist');
    await expect(start(shop, PRODUCTION)).rejects.toThrow(
      /barrier between companies is incomplete.*tradeloom_tenant does not exist/,
    );
    for (const settings of [{}, { ...PRODUCTION, TRADELOOM_WITHOUT_BARRIER: '1' }])
      await (await start(shop, settings)).stop();
    const env = { DATABASE_URL: shop.connectionString! };
    const told = await tradeloom(['doctor', '--json', '--data-dir', folder.path], env);
    const checks = JSON.parse(told.stdout).checks as { id: string; ok: boolean }[];
    expect([told.code, checks.find(({ id }) => id === 'barrier')?.ok]).toEqual([1, false]);

    await admin.query('create role tradeloom_tenant nologin');
    await admin.query('grant tradeloom_tenant to plain_owner');
    await migrate(shop);
    expect(await workOn(shop)).toMatchObject({ barrier: true, gaps: [] });
    await (await start(shop, PRODUCTION)).stop();
  });

  it('is raised again after a dump was restored where the roles are missing', async () => {
    await admin.query('create database restored');
    const connection = { ...postgres.connection, database: 'restored' };
    await migrate(connection);
    const client = new pg.Client(connection);
    client.on('error', () => {});
    await client.connect();
    for (const role of ['tradeloom_tenant', 'tradeloom_program']) await client.query(`drop owned by ${role} cascade`);
    await client.query('reassign owned by tradeloom_owner to tradeloom');
    expect((await workOn(connection)).gaps).not.toEqual([]);
    await migrate(connection);
    expect(await workOn(connection)).toMatchObject({
      barrier: true,
      gaps: [],
      connection: { user: 'tradeloom_program' },
    });
    const db = createDb({ connection: (await workOn(connection)).connection, barrier: true });
    await db.tx((tx) =>
      tx.query(
        rawSql(
          "insert into companies (name, currency, currency_exponent, time_zone, country, settings, created_at) values ('a', 'USD', 2, 'UTC', 'US', '{}', now())",
        ),
      ),
    );
    expect(await db.query(rawSql('select ensure_event_partitions(current_date, 5)'))).toHaveLength(1);
    await db.close();
    await client.end();
  });

  it('holds for a superuser, who works as the role of the program', async () => {
    await admin.query('create database superusers');
    const shop = { connectionString: connectionUrl({ ...postgres.connection, database: 'superusers' }) };
    await migrate(shop);
    const { connection, barrier, gaps } = await workOn(shop);
    expect([barrier, gaps]).toEqual([true, []]);
    const db = createDb({ connection, barrier });
    expect(await who(db)).toMatchObject({ worker: 'tradeloom_program', login: 'tradeloom', rolsuper: false });
    await db.tenantTx(1, async (tx) => expect((await who(tx)).worker).toBe('tradeloom_tenant'));
    expect((await who(db)).worker).toBe('tradeloom_program');
    await db.close();
  });

  it('holds for a superuser whose password is not encoded in the address', async () => {
    const address = decodeURIComponent(connectionUrl({ ...postgres.connection, database: 'superusers' }));
    const connectionString = address.replace('tradeloom@', 'tradeloom:100%sure@');
    expect(await workOn({ connectionString })).toMatchObject({ barrier: true, gaps: [] });
  });

  it('holds for a superuser whose address has options, which hold as well', async () => {
    const address = new URL(connectionUrl({ ...postgres.connection, database: 'superusers' }));
    address.searchParams.set('options', '-c search_path=public -c work_mem=5MB');
    const { connection, barrier, gaps } = await workOn({ connectionString: address.href });
    expect([barrier, gaps]).toEqual([true, []]);
    const db = createDb({ connection, barrier });
    expect(await who(db)).toMatchObject({ worker: 'tradeloom_program', login: 'tradeloom' });
    expect(await db.query(rawSql("select current_setting('work_mem') as memory"))).toEqual([{ memory: '5MB' }]);
    await db.close();
  });
});

it('doctor finds the barrier whole in the embedded database', { timeout: 60_000 }, async () => {
  const dataDir = temporaryDataFolder();
  await tradeloom(['companies', 'create', '--name', 'Shop', '--data-dir', dataDir]);
  const { code, stdout } = await tradeloom(['doctor', '--json', '--data-dir', dataDir]);
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: { id: string; ok: boolean }[] };
  expect([code, ok, checks.find(({ id }) => id === 'barrier')?.ok]).toEqual([0, true, true]);
});
