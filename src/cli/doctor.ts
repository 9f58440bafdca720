import { Command } from 'commander';
import { firstBrokenSeal } from '../access/audit.ts';
import { loadMasterKey } from '../access/master-key.ts';
import { listCompanies } from '../access/service.ts';
import { webhookSecrets } from '../access/webhook-secrets.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { workOn } from '../db/barrier/work-connection.ts';
import { createDb } from '../db/create-db.ts';
import { requireDurability } from '../db/durability.ts';
import { describeLeft, findLeftServers } from '../db/embedded/left-servers.ts';
import { migrate } from '../db/migrate.ts';
import type { ConnectionSettings, Db } from '../db/pool.ts';
import { createJournalFile } from '../erasure/journal-file.ts';
import { findUnreplayed } from '../erasure/service.ts';
import { checkInvariants, type Finding } from '../invariants.ts';
import { countHeldMessages } from '../messaging/gate/held-queries.ts';
import { settings, withConnection } from './database.ts';
import { printResult, withExample } from './output.ts';
import { webhookSenders } from './webhook-senders.ts';

/** One look over a large database may take its time. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

type Example = Finding['examples'][number];

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('Check every promise that a program can check, and say what to do where one is broken.')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { dataDir?: string; json?: boolean }) => {
      const config = settings(flags);
      const checks = await withConnection(config, (connection) => examine(config, connection));
      const ok = checks.every((check) => check.ok);
      // Of the machine, not of this data: nothing is wrong with it.
      const left = await findLeftServers();
      printResult(
        flags.json,
        { ok, checks: checks.map(inJson), left_servers: left },
        [...checks.map(line), ...left.map(describeLeft)].join('\n'),
      );
      if (!ok) process.exitCode = 1;
    });
  return withExample(command, 'tradeloom doctor --json');
}

async function examine(config: Readonly<Config>, connection: ConnectionSettings): Promise<Finding[]> {
  const { pending } = await migrate(connection, { check: true });
  const schema = finding(
    'schema',
    "The database has this program's schema",
    pending.map(inGeneral),
    'Run tradeloom migrate',
  );
  // Without it, nothing else can be asked.
  if (!schema.ok) return [schema];
  const work = await workOn(connection);
  const db = createDb({
    connection: work.connection,
    connections: { points: 1, writes: 1 },
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    // Whoever tries the program out may well do so on a database that forgets.
    const strict = config.mode === 'production' ? [await durability(connection)] : [];
    const checks = [
      await secrets(config, db),
      await seals(db),
      await held(db),
      await erasures(config, db),
      await webhookSenders(db, systemClock.now()),
    ];
    const barrier = finding(
      'barrier',
      'The database itself separates companies',
      work.gaps.map(inGeneral),
      'Start once as a database user that may make roles, or make them for it: see docs/operations.md',
    );
    return [schema, barrier, ...strict, ...checks, ...(await checkInvariants(db))];
  } finally {
    await db.close();
  }
}

async function durability(connection: ConnectionSettings): Promise<Finding> {
  const weak = await requireDurability(connection).then(
    () => [],
    (error: Error) => [inGeneral(error.message)],
  );
  return finding('durability', 'What PostgreSQL has acknowledged survives a crash', weak, 'Set what is named to on');
}

async function secrets(config: Readonly<Config>, db: Db): Promise<Finding> {
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

/** The invariants compare each seal with the next row's; this also computes it from the row. */
async function seals(db: Db): Promise<Finding> {
  const examples: Example[] = [];
  for (const { company_id } of await listCompanies(db)) {
    const id = await firstBrokenSeal(db, company_id);
    if (id !== null) examples.push({ company_id, subject: `audit entry ${id}` });
  }
  const fix = 'Somebody changed the audit log past the program: compare it with a backup';
  return finding('audit', 'Every entry of the audit log is as it was sealed', examples, fix);
}

/** The journal file knows of erasures that a restored backup does not. */
async function erasures(config: Readonly<Config>, db: Db): Promise<Finding> {
  const examples = (await findUnreplayed(db, await createJournalFile(config.erasureLog).read())).map((entry) => {
    return { company_id: entry.company_id, subject: `erasure ${entry.key}` };
  });
  const fix = 'Run tradeloom erasures replay';
  return finding('erasures', 'Every erasure of the journal file was done in this database', examples, fix);
}

/** Nothing is broken, and yet people do not get what is meant for them. */
async function held(db: Db): Promise<Finding> {
  const counts = await countHeldMessages(db, { companyId: null, atMost: 1_000_000 });
  const examples = counts.map(({ company_id, setting, n }) => {
    return { company_id, subject: `${n} messages are held: ${setting.cause} (${setting.name})` };
  });
  const fix = 'Set what is named for every process and restart them: messages that are not too late by then are sent';
  return finding('sending.held', 'No message waits for a setting', examples, fix);
}

function finding(id: string, promise: string, examples: Example[], fix: string): Finding {
  const ok = examples.length === 0;
  return { id, promise, ok, violations: examples.length, examples, fix: ok ? null : fix };
}

/** The JSON output has always called the fix `mend`. */
function inJson({ fix, ...check }: Finding): object {
  return { ...check, mend: fix };
}

/** Something that concerns no single company. */
function inGeneral(subject: string): Example {
  return { company_id: 0, subject };
}

function line({ ok, promise, violations, examples, fix }: Finding): string {
  if (ok && examples.length === 0) return `ok    ${promise}`;
  const places = examples.map(
    ({ company_id, subject }) => `\n        ${company_id ? `company ${company_id}, ` : ''}${subject}`,
  );
  if (ok) return `note  ${promise}, but for:${places.join('')}\n      ${fix}.`;
  return `WRONG ${promise}: ${violations} times, such as${places.join('')}\n      ${fix}.`;
}
