import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { workOn } from '../db/barrier/work-connection.ts';
import { createDb } from '../db/create-db.ts';
import { describeLeft, findLeftServers } from '../db/embedded/left-servers.ts';
import { migrate } from '../db/migrate.ts';
import type { ConnectionSettings } from '../db/pool.ts';
import { checkInvariants, type Finding } from '../invariants.ts';
import { durability, erasures, finding, held, inGeneral, seals, secrets } from './checks.ts';
import { settings, withConnection } from './database.ts';
import { printResult, withExample } from './output.ts';
import { webhookSenders } from './webhook-senders.ts';

/** One look over a large database may take its time. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

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

/** The JSON output has always called the fix `mend`. */
function inJson({ fix, ...check }: Finding): object {
  return { ...check, mend: fix };
}

function line({ ok, promise, violations, examples, fix }: Finding): string {
  if (ok && examples.length === 0) return `ok    ${promise}`;
  const places = examples.map(
    ({ company_id, subject }) => `\n        ${company_id ? `company ${company_id}, ` : ''}${subject}`,
  );
  if (ok) return `note  ${promise}, but for:${places.join('')}\n      ${fix}.`;
  return `WRONG ${promise}: ${violations} times, such as${places.join('')}\n      ${fix}.`;
}
