import { Command } from 'commander';
import { listCompanies } from '../access/service.ts';
import { systemClock } from '../clock.ts';
import { withDatabase } from './database.ts';
import { printResult, table, withExample } from './output.ts';
import { timestampLine } from './webhooks.ts';

interface CreateFlags {
  name: string;
  currency: string;
  timeZone: string;
  country: string;
  dataDir?: string;
  json?: boolean;
}

export function companiesCommand(): Command {
  const companies = new Command('companies').description('The companies (tenants) of this installation.');
  companies.addCommand(createCommand());
  companies.addCommand(listCommand());
  return withExample(companies, 'tradeloom companies list');
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Create a company. Its webhook secret is shown only once.')
    .requiredOption('--name <name>', "the company's name")
    .option('--currency <code>', 'ISO 4217 currency of all amounts', 'USD')
    .option('--time-zone <zone>', 'IANA time zone of calendar days', 'UTC')
    .option('--country <code>', 'ISO 3166 default country of addresses', 'US')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: CreateFlags) => {
      const company = await withDatabase(
        flags,
        async ({ db, masterKey }) => {
          const [{ openCompany }, { compileDesign }] = await Promise.all([
            import('../admin/companies/service.ts'),
            import('../marketing/templates/design/compile.ts'),
          ]);
          return openCompany(db, async (_, design) => compileDesign(design), {
            name: flags.name,
            currency: flags.currency.toUpperCase(),
            timeZone: flags.timeZone,
            country: flags.country.toUpperCase(),
            now: systemClock.now(),
            masterKey,
          });
        },
        { begins: true },
      );
      printResult(
        flags.json,
        { ...company, require_timestamp: false },
        `Company ${company.company_id}, ${company.name}. Its webhook secret, shown only once:\n${company.webhook_secret}\n${timestampLine(company.company_id, false)}`,
      );
    });
  return withExample(
    command,
    'tradeloom companies create --name "Corner shop" --currency EUR --time-zone Europe/Berlin --country DE',
  );
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the companies.')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { dataDir?: string; json?: boolean }) => {
      const rows = await withDatabase(flags, ({ db }) => listCompanies(db));
      const companies = rows.map(({ company_id, name, currency, time_zone, country, created_at }) => ({
        company_id,
        name,
        currency,
        time_zone,
        country,
        created_at,
      }));
      printResult(
        flags.json,
        { companies },
        table(
          ['ID', 'NAME', 'CURRENCY', 'TIME ZONE'],
          companies.map((company) => [company.company_id, company.name, company.currency, company.time_zone]),
        ),
      );
    });
  return withExample(command, 'tradeloom companies list --json');
}
