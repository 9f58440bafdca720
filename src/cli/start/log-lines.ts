import pg from 'pg';
import type { Logger } from 'pino';
import manifest from '../../../package.json' with { type: 'json' };
import type { StopReport } from '../../app.ts';
import { monotonicMs } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { ConnectionSettings, Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

/** What is known once everything is up. */
export interface Start {
  /** When the start began, in `monotonicMs`. */
  began: number;
  connection: ConnectionSettings;
  applied: readonly string[];
  /** The address; null for a process that serves no API. */
  listening: string | null;
  workers: readonly string[];
}

/** Logs one line with the version, database and providers in use, without secrets. */
export async function logStart(log: Logger, db: Queryable, config: Readonly<Config>, start: Start): Promise<void> {
  if (!log.isLevelEnabled('info')) return;
  const { began, connection, applied, listening, workers } = start;
  const version = await db.query<{ server_version: string }>(sql`show server_version`);
  log.info(
    {
      version: manifest.version,
      node: process.versions.node,
      mode: config.mode,
      role: config.role,
      listening,
      public_url: config.publicUrl,
      metrics_port: config.metricsPort,
      database: { ...whereIs(connection, config), version: version[0]!.server_version },
      migrations_applied: applied,
      email: providerOf(config.smtpUrl, config),
      sms: providerOf(config.smsUrl, config),
      pictures: config.bucket === null ? 'database' : hostOf(config.bucket.url),
      workers,
      took_ms: Math.round(monotonicMs() - began),
    },
    'started',
  );
}

export function logStop(log: Logger, { connections, requestsMs, workersMs, totalMs }: StopReport): void {
  log.info(
    { requests_in_flight: connections, requests_ms: requestsMs, workers_ms: workersMs, took_ms: totalMs },
    'stopped: requests in flight were finished, claimed work was handed back',
  );
}

function whereIs(connection: ConnectionSettings, { databaseUrl, dataDir }: Readonly<Config>): object {
  if (databaseUrl === null) return { embedded: dataDir };
  const { host, port, database } = new pg.Client(connection);
  return { host, port, name: database };
}

/** Describes where messages of a channel go, without user and password of the address. */
function providerOf(url: string | null, { mailbox }: Readonly<Config>): string {
  if (url !== null) return hostOf(url);
  return mailbox ? 'mailbox' : 'none';
}

function hostOf(url: string): string {
  return new URL(url).host;
}
