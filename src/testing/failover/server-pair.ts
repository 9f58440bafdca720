import { appendFile, cp, mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverAccount } from '../../db/embedded/account.ts';
import { prepareCluster } from '../../db/embedded/cluster.ts';
import { socketFolder } from '../../db/embedded/folder.ts';
import { findServer, stopServer } from '../../db/embedded/process.ts';
import { locateProgram } from '../../db/embedded/program.ts';
import { bringUp } from '../../db/embedded/server.ts';
import { type Connection, connectionAt, DATABASE } from '../../db/embedded/server-plan.ts';
import { serverArguments } from '../../db/embedded/settings.ts';
import { on, waitFor } from './on-server.ts';
import { startPrimaryProxy } from './primary-proxy.ts';

/** A primary and its streaming standby, which the program reaches at an address that always leads to the primary. */
export interface ServerPair {
  url: string;
  /** Runs statements on the primary. */
  query<Row>(text: string): Promise<Row[]>;
  /** Adds a standby of the present primary; commits wait for it from then on. */
  addStandby(): Promise<void>;
  /** Lets the standby miss what is committed from now on. */
  detachStandby(): Promise<void>;
  /** Kills the primary, and promotes the standby. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

interface Server {
  dataDir: string;
  connection: Connection;
}

const SETTINGS = {
  max_wal_senders: '4',
  wal_level: 'replica',
  wal_keep_size: '512MB',
  wal_receiver_status_interval: '1s',
};
/** Files that a running server makes anew or removes, and the log of transactions, which the standby is sent. */
const CHANGING = /postmaster\.(pid|opts)$|pg_internal\.init|pg_wal\/[0-9A-F]{24}|xlogtemp|pg_stat_tmp\/|pgsql_tmp/;

/** @param prepared folder of a stopped cluster with the program's schema; null for an empty one */
export async function startServerPair(prepared: string | null): Promise<ServerPair> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'tradeloom-pair-')));
  const program = await locateProgram(`${process.platform}-${process.arch}`);
  const account = await serverAccount(await stat(base));
  const servers: Server[] = [];
  let primary: Server;
  let standby: Server | null = null;

  async function start(fill: (dataDir: string) => Promise<void>): Promise<Server> {
    const dataDir = join(base, String(servers.length));
    await mkdir(dataDir);
    await fill(dataDir);
    const folder = join(dataDir, 'postgres');
    const host = socketFolder(dataDir, account);
    const server = { dataDir, connection: connectionAt(host) };
    servers.push(server);
    await bringUp({
      dataDir,
      folder,
      logFile: join(dataDir, 'postgres.log'),
      account,
      program: program.postgres,
      args: serverArguments(folder, host, SETTINGS),
      connection: server.connection,
    });
    return server;
  }

  /** By a backup of the primary's files while it runs. */
  async function copyPrimary(dataDir: string): Promise<void> {
    const folder = join(dataDir, 'postgres');
    const client = new pg.Client(primary.connection);
    client.on('error', () => {});
    await client.connect();
    await client.query("select pg_backup_start('standby', true)");
    await cp(join(primary.dataDir, 'postgres'), folder, {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !CHANGING.test(path),
    });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await client.end();
    await writeFile(join(folder, 'backup_label'), rows[0]!.labelfile);
    await writeFile(join(folder, 'standby.signal'), '');
    const { host, port } = primary.connection;
    await appendFile(
      join(folder, 'postgresql.auto.conf'),
      `\nprimary_conninfo = 'host=${host} port=${port} user=${DATABASE} application_name=standby'\nsynchronous_standby_names = ''\n`,
    );
  }

  async function replicate(names: string): Promise<void> {
    await on(primary, `alter system set synchronous_standby_names = '${names}'`);
    await on(primary, 'select pg_reload_conf()');
  }

  primary = await start(async (dataDir) => {
    if (prepared === null) await prepareCluster(dataDir, program, account, false);
    else await cp(prepared, join(dataDir, 'postgres'), { recursive: true });
  });

  const proxy = await startPrimaryProxy(() => primary.connection);

  return {
    url: `postgres://${DATABASE}@127.0.0.1:${proxy.port}/${DATABASE}`,
    query: (text) => on(primary, text),
    async addStandby() {
      standby = await start(copyPrimary);
      await waitFor(async () => {
        const states = await on<{ state: string }>(primary, 'select state from pg_stat_replication');
        return states[0]?.state === 'streaming';
      });
      await replicate('standby');
      await waitFor(async () => {
        const states = await on<{ sync_state: string }>(primary, 'select sync_state from pg_stat_replication');
        return states[0]?.sync_state === 'sync';
      });
    },
    async detachStandby() {
      await replicate('');
      await waitFor(async () => {
        const [row] = await on<{ names: string }>(
          primary,
          "select current_setting('synchronous_standby_names') as names",
        );
        return row!.names === '';
      });
      await on(standby!, "alter system set primary_conninfo = ''");
      await on(standby!, 'select pg_reload_conf()');
      await waitFor(async () => (await on(primary, 'select 1 from pg_stat_replication')).length === 0);
    },
    async failOver() {
      proxy.setDown(true);
      process.kill((await findServer(join(primary.dataDir, 'postgres')))!.pid, 'SIGKILL');
      proxy.cut();
      const promoted = standby!;
      await on(promoted, 'select pg_promote()');
      primary = promoted;
      standby = null;
      proxy.setDown(false);
    },
    async close() {
      await proxy.close();
      for (const { dataDir } of servers) await stopServer(join(dataDir, 'postgres'));
      await rm(base, { recursive: true, force: true });
    },
  };
}
