import { Command, Option } from 'commander';
import { createKey, listKeys, type NewKey, revokeKey, rotateKey } from '../access/api-key-service.ts';
import { findCompany } from '../access/service.ts';
import { systemClock } from '../clock.ts';
import { parseDuration } from '../duration.ts';
import { found } from '../errors.ts';
import { withDatabase } from './database.ts';
import { wholeNumber } from './numbers.ts';
import { printResult, table, UsageError, withExample } from './output.ts';

const HOUR_MS = 3_600_000;

export function keysCommand(): Command {
  const keys = new Command('keys').description('The API keys of a company.');
  for (const command of [createCommand(), listCommand(), revokeCommand(), rotateCommand()]) keys.addCommand(command);
  return withExample(keys, 'tradeloom keys list --company 1');
}

interface CreateFlags {
  company: number;
  name: string;
  scope: string[];
  requestsPerHour: number;
  expires?: number;
  dataDir?: string;
  json?: boolean;
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Create an API key. It is shown only once.')
    .requiredOption('--company <id>', "the company's id", wholeNumber)
    .requiredOption('--name <name>', 'purpose of the key')
    .requiredOption('--scope <scope>', 'a permission such as orders:read, or * for all; may be repeated', collect)
    .option('--requests-per-hour <number>', 'request limit; 0 means unlimited', wholeNumber, 1000)
    .option('--expires <duration>', 'lifetime of the key, such as 90d (unlimited)', milliseconds)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: CreateFlags) => {
      if (flags.expires === 0) throw new UsageError('--expires must be a positive duration, such as 90d or 12h');
      const now = systemClock.now();
      const key = await withDatabase(flags, ({ db }) =>
        createKey(db, {
          companyId: flags.company,
          name: flags.name,
          scopes: flags.scope,
          requestsPerHour: flags.requestsPerHour,
          expiresAt: flags.expires === undefined ? null : new Date(now.getTime() + flags.expires),
          now,
          actor: 'cli',
        }),
      );
      printResult(flags.json, key, shown(key));
    });
  return withExample(command, 'tradeloom keys create --company 1 --name till --scope orders:read --scope orders:write');
}

function listCommand(): Command {
  const command = new Command('list')
    .description("List a company's API keys, without their secrets.")
    .requiredOption('--company <id>', "the company's id", wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { company: number; dataDir?: string; json?: boolean }) => {
      const rows = await withDatabase(flags, async ({ db }) => {
        found(await findCompany(db, flags.company), `company ${flags.company}`);
        return listKeys(db, flags.company);
      });
      const keys = rows.map(({ id, ...key }) => ({ key_id: id, ...key }));
      printResult(
        flags.json,
        { keys },
        table(
          ['ID', 'NAME', 'BEGINS WITH', 'SCOPES', 'PER HOUR', 'LAST USED', 'ENDS'],
          keys.map((key) => [
            key.key_id,
            key.name,
            key.display,
            key.scopes.join(' '),
            key.requests_per_hour || 'unlimited',
            key.last_used_at?.toISOString() ?? 'never',
            (key.revoked_at ?? key.expires_at)?.toISOString() ?? 'never',
          ]),
        ),
      );
    });
  return withExample(command, 'tradeloom keys list --company 1');
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('Revoke an API key. Every process refuses it within a second.')
    .requiredOption('--key-id <id>', "the key's id", wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { keyId: number; dataDir?: string; json?: boolean }) => {
      const key = await withDatabase(flags, ({ db }) =>
        revokeKey(db, flags.keyId, { now: systemClock.now(), actor: 'cli' }),
      );
      printResult(
        flags.json,
        { key_id: key.id, company_id: key.company_id, name: key.name, revoked_at: key.revoked_at },
        `Key ${key.id} (${key.name}) is revoked.`,
      );
    });
  return withExample(command, 'tradeloom keys revoke --key-id 7');
}

function rotateCommand(): Command {
  const command = new Command('rotate')
    .description('Create a key with the name, scopes and limit of an old one, and revoke the old one after an overlap.')
    .requiredOption('--key-id <id>', "the old key's id", wholeNumber)
    .addOption(
      new Option('--overlap <duration>', 'how long the old key still works, up to 7d')
        .default(24 * HOUR_MS, '24h')
        .argParser(milliseconds),
    )
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { keyId: number; overlap: number; dataDir?: string; json?: boolean }) => {
      const key = await withDatabase(flags, ({ db }) =>
        rotateKey(db, flags.keyId, {
          overlapHours: flags.overlap / HOUR_MS,
          now: systemClock.now(),
          actor: 'cli',
        }),
      );
      printResult(flags.json, key, shown(key));
    });
  return withExample(command, 'tradeloom keys rotate --key-id 7 --overlap 2h');
}

function shown(key: NewKey): string {
  return `Key ${key.key_id} (${key.name}) of company ${key.company_id}, shown only once:\n${key.key}`;
}

function milliseconds(text: string): number {
  const duration = parseDuration(text);
  if (duration === null) throw new UsageError(`${text} is not a duration. Use a form such as 90d or 12h`);
  return duration;
}

function collect(scope: string, earlier: string[] = []): string[] {
  return [...earlier, scope];
}
