import pg from 'pg';
import { firstBrokenSeal } from '../access/audit.ts';
import { loadMasterKey } from '../access/master-key.ts';
import { listCompanies } from '../access/service.ts';
import { webhookSecrets } from '../access/webhook-secrets.ts';
import { systemClock } from '../clock.ts';
import { countUncertain } from '../commerce/payments/queries.ts';
import type { Config } from '../config.ts';
import { requireDurability } from '../db/durability.ts';
import type { ConnectionSettings, Db } from '../db/pool.ts';
import { createJournalFile } from '../erasure/journal-file.ts';
import { findUnreplayed } from '../erasure/service.ts';
import type { Finding } from '../invariants.ts';
import { listPaused } from '../messaging/deliverability/queries.ts';
import { countHeldMessages } from '../messaging/send/holds.ts';

/** The checks of `tradeloom doctor` that are not invariants of stored data. */

type Example = Finding['examples'][number];

export function finding(id: string, promise: string, examples: Example[], fix: string): Finding {
  const ok = examples.length === 0;
  return { id, promise, ok, violations: examples.length, examples, fix: ok ? null : fix };
}

/** An example that does not concern a single company. */
export function inGeneral(subject: string): Example {
  return { company_id: 0, subject };
}

export async function durability(connection: ConnectionSettings): Promise<Finding> {
  const weak = await requireDurability(connection).then(
    () => [],
    (error: Error) => [inGeneral(error.message)],
  );
  return finding(
    'durability',
    'What PostgreSQL has acknowledged survives a crash',
    weak,
    'Set the named settings to on',
  );
}

export async function secrets(config: Readonly<Config>, db: Db): Promise<Finding> {
  const masterKey = loadMasterKey(config.dataDir, config.masterKey);
  const examples: Example[] = [];
  for (const { company_id } of await listCompanies(db)) {
    await webhookSecrets(db, company_id, masterKey, systemClock.now()).catch((error: Error) => {
      examples.push({ company_id, subject: error.message });
    });
  }
  const fix = 'Give every process the master key that the secrets were made with: master.key or TRADELOOM_MASTER_KEY';
  return finding('secrets', 'The stored secrets open with the master key', examples, fix);
}

/** The invariants only compare each seal with the next row; this also recomputes it from the row. */
export async function seals(db: Db): Promise<Finding> {
  const examples: Example[] = [];
  for (const { company_id } of await listCompanies(db)) {
    const id = await firstBrokenSeal(db, company_id);
    if (id !== null) examples.push({ company_id, subject: `audit entry ${id}` });
  }
  const fix = 'Somebody changed the audit log past the program: compare it with a backup';
  return finding('audit', 'Every entry of the audit log is as it was sealed', examples, fix);
}

/** Checks the archiving of the transaction log, if it is enabled. */
export async function archiving(connection: ConnectionSettings): Promise<Finding> {
  const [row] = await queryOnce<{ mode: string; failed: string | null }>(
    connection,
    `select current_setting('archive_mode') as mode, last_failed_wal as failed from pg_stat_archiver
     where last_archived_time is null or last_failed_time is null or last_failed_time > last_archived_time`,
  );
  const failed = row?.mode === 'off' ? null : (row?.failed ?? null);
  const examples = failed === null ? [] : [inGeneral(`${failed} could not be archived`)];
  const fix = 'See postgres.log in the data folder: nothing that was committed since can be recovered from the archive';
  return finding('archiving', 'The WAL is archived if an archive is configured', examples, fix);
}

async function queryOnce<Row extends object>(connection: ConnectionSettings, text: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Finds erasures in the journal file that this database lacks, as after the restore of a backup. */
export async function erasures(config: Readonly<Config>, db: Db): Promise<Finding> {
  const examples = (await findUnreplayed(db, await createJournalFile(config.erasureLog).read())).map((entry) => {
    return { company_id: entry.company_id, subject: `erasure ${entry.key}` };
  });
  const fix = 'Run tradeloom erasures replay';
  return finding('erasures', 'Every erasure of the journal file was done in this database', examples, fix);
}

/** Finds messages that wait for a missing setting. */
export async function held(db: Db): Promise<Finding> {
  const counts = await countHeldMessages(db, { companyId: null, atMost: 1_000_000 });
  const examples = counts.map(({ company_id, setting, n }) => {
    return { company_id, subject: `${n} messages are held: ${setting.cause} (${setting.name})` };
  });
  const fix =
    'Set the named settings, those in capitals for every process, and restart it; from_email in the sending settings of the company. Messages that are not too late are then sent';
  return finding('sending.held', 'No message waits for a setting', examples, fix);
}

/** Finds companies whose marketing e-mail the program has paused. */
export async function pausedCompanies(db: Db): Promise<Finding> {
  const examples = (await listPaused(db)).map(({ company_id, reason, rate }) => {
    return { company_id, subject: `${reason}: ${(rate * 100).toFixed(2)} %` };
  });
  const fix = 'Somebody of the company looks at Settings → Deliverability, changes whom it writes to, and resumes';
  return finding('sending.paused', 'No company has complaints or bounces above the limits', examples, fix);
}

/** Finds payments of which a service has not said for a day what became of an operation. */
export async function uncertainPayments(db: Db): Promise<Finding> {
  const examples = (await countUncertain(db)).map(({ company_id, n }) => {
    return { company_id, subject: `payments with an unknown outcome: ${n}` };
  });
  const fix = 'Somebody of the company looks at Orders → Money to look at, and at the payment in the service itself';
  return finding('payments.uncertain', 'Payment services say within a day what became of an operation', examples, fix);
}
