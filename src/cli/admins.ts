import { Command, Option } from 'commander';
import { ROLES, type Role } from '../access/roles.ts';
import { createAdmin, listAdmins, resetAdmin } from '../admin/accounts/service.ts';
import { systemClock } from '../clock.ts';
import { originOf } from '../origin.ts';
import { type Workplace, withDatabase } from './database.ts';
import { wholeNumber } from './numbers.ts';
import { printResult, table, withExample } from './output.ts';
import { signInUrl } from './start/welcome.ts';

export function adminsCommand(): Command {
  const admins = new Command('admins').description('The people who use the admin app.');
  for (const command of [createCommand(), resetCommand(), listCommand()]) admins.addCommand(command);
  return withExample(admins, 'tradeloom admins list');
}

interface CreateFlags {
  email: string;
  name: string;
  role: Role;
  company?: number;
  host?: string;
  port?: string;
  dataDir?: string;
  json?: boolean;
}

function createCommand(): Command {
  const command = new Command('create')
    .description(
      'Create an account and print a link to choose its password, valid once for an hour. With --company, an existing account gets the role in that company too.',
    )
    .requiredOption('--email <address>', 'their e-mail address')
    .requiredOption('--name <name>', 'their name')
    .addOption(new Option('--role <role>', 'role of the account').choices(ROLES).default('owner'))
    .option('--company <id>', 'give access to this company only (all)', wholeNumber)
    .option('--host <address>', "the server's address (HOST, 127.0.0.1)")
    .option('--port <number>', "the server's port (PORT, 3000)")
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: CreateFlags) => {
      const { role, ...place } = flags;
      const make = async ({ config, db }: Workplace) => {
        const { email, name, company: companyId = null } = place;
        const { token, ...admin } = await createAdmin(db, { email, name, role, companyId, now: systemClock.now() });
        return { ...admin, role, url: token === null ? null : signInUrl(originOf(config), token) };
      };
      const made = await withDatabase(place, make, { begins: true });
      printResult(flags.json, made, made.url ?? `${made.email} signs in as before.`);
    });
  return withExample(command, 'tradeloom admins create --email ada@example.com --name Ada --role manager --company 1');
}

interface ResetFlags {
  email: string;
  host?: string;
  port?: string;
  dataDir?: string;
  json?: boolean;
}

function resetCommand(): Command {
  const command = new Command('reset')
    .description(
      "End somebody's sessions, password, authenticator app and passkeys; prints a link to choose a new password.",
    )
    .requiredOption('--email <address>', 'their e-mail address')
    .option('--host <address>', "the server's address (HOST, 127.0.0.1)")
    .option('--port <number>', "the server's port (PORT, 3000)")
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: ResetFlags) => {
      const reset = await withDatabase(flags, async ({ config, db }) => {
        const { token, ...ended } = await resetAdmin(db, flags.email, systemClock.now());
        return { ...ended, url: signInUrl(originOf(config), token) };
      });
      printResult(flags.json, reset, `Sessions ended: ${reset.sessions}\n${reset.url}`);
    });
  return withExample(command, 'tradeloom admins reset --email ada@example.com');
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the accounts.')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { dataDir?: string; json?: boolean }) => {
      const admins = await withDatabase(flags, ({ db }) => listAdmins(db));
      const rows = admins.map((admin) => [
        admin.id,
        admin.email,
        admin.name,
        admin.companies.map(({ company_id, role }) => `${role} of ${company_id}`).join(', ') || 'none',
        admin.has_totp ? 'yes' : 'no',
        admin.last_seen_at?.toISOString() ?? 'never',
      ]);
      printResult(flags.json, { admins }, table(['ID', 'EMAIL', 'NAME', 'COMPANIES', 'APP', 'LAST SEEN'], rows));
    });
  return withExample(command, 'tradeloom admins list');
}
