import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Counter, Gauge, Registry } from 'prom-client';
import { type Clock, monotonicMs } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import { countHeldMessages } from '../messaging/send/holds.ts';
import { claimedMessages, databaseFigures, queueFigures } from './queries.ts';

export interface DatabaseGaugesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
}

/** However often metrics are scraped, the database is queried no more often than this. */
const FRESH_MS = 10_000;
/** Prometheus waits for 10 s, and must get the other metrics even if the database does not respond. */
const TIMEOUT_MS = 4_000;
const MOST_HELD = 10_000;

/**
 * Returns what the database reports about queues and itself, in the format of Prometheus. The figures are those of the installation, the
 * same from every process that has workers: take their maximum, not their sum.
 */
export function createDatabaseGauges({ db, clock, log }: DatabaseGaugesDeps): () => Promise<string> {
  const registry = new Registry();
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = gauge('tradeloom_database_up', 'Whether the database responded when it was last asked for its figures');
  const items = gauge('tradeloom_queue_items', 'Items of a queue that are due, at most 10,000', 'queue');
  const age = gauge('tradeloom_queue_age_seconds', 'How long the oldest due item of a queue has waited', 'queue');
  const claimed = gauge('tradeloom_messages_in_progress', 'Messages that workers hold, by step', 'step');
  const held = gauge('tradeloom_messages_held', 'Messages that wait for a missing setting', 'setting');
  const sendingHeld = gauge('tradeloom_sending_held', '1 while sending is held until `tradeloom sending confirm`');
  const bytes = gauge('tradeloom_database_size_bytes', 'Size of the database on disk');
  const backup = gauge(
    'tradeloom_last_backup_timestamp_seconds',
    'When the last backup by `tradeloom backup` began; 0 for none',
  );
  const archived = gauge(
    'tradeloom_wal_archive_last_success_timestamp_seconds',
    'When a segment of the log of transactions was last archived; absent where none are',
  );
  const archiveFailures = new Counter({
    name: 'tradeloom_wal_archive_failures_total',
    help: 'Failed attempts to archive a segment since the statistics began; absent where none are',
    registers: [registry],
  });

  async function read(): Promise<void> {
    const now = clock.now();
    const [queues, claims, heldCounts, database] = await Promise.all([
      queueFigures(db, now),
      claimedMessages(db),
      countHeldMessages(db, { companyId: null, atMost: MOST_HELD }),
      databaseFigures(db),
    ]);
    for (const { queue, items: n, oldest } of queues) {
      items.set({ queue }, n);
      age.set({ queue }, oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1_000));
    }
    for (const step of ['claimed', 'handing_over'] as const) {
      claimed.set({ step }, claims.find((one) => one.step === step)?.n ?? 0);
    }
    held.reset();
    for (const { setting, n } of heldCounts) held.inc({ setting: setting.name }, n);
    sendingHeld.set(database.sending_held ? 1 : 0);
    bytes.set(database.bytes);
    backup.set(seconds(database.last_backup_at));
    archived.remove();
    archiveFailures.remove();
    if (database.archive_failures !== null) {
      archived.set(seconds(database.archived_at));
      archiveFailures.inc(database.archive_failures);
    }
    up.set(1);
  }

  function forget(): void {
    registry.resetMetrics();
    items.reset();
    age.reset();
    archived.remove();
    archiveFailures.remove();
    up.set(0);
  }

  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  return async () => {
    if (reading === undefined && monotonicMs() - readAt >= FRESH_MS) {
      reading = read()
        .catch((error: unknown) => {
          log.warn({ err: error }, 'the figures of the database could not be read');
          forget();
        })
        .finally(() => {
          reading = undefined;
          readAt = monotonicMs();
        });
    }
    if (reading !== undefined) {
      const ended = new AbortController();
      const late = sleep(TIMEOUT_MS, true, { signal: ended.signal, ref: false }).catch(() => false);
      if (await Promise.race([reading.then(() => false), late])) forget();
      ended.abort();
    }
    return registry.metrics();
  };
}

function seconds(at: Date | null): number {
  return at === null ? 0 : at.getTime() / 1_000;
}
