import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { webhookSecrets } from '../access/webhook-secrets.ts';
import { systemClock } from '../clock.ts';
import { changeWebhookSettings } from '../marketing/webhook/service.ts';
import { signDelivery } from '../outbox/endpoints/sign.ts';
import { withDatabase } from './database.ts';
import { wholeNumber } from './numbers.ts';
import { printResult, UsageError, withExample } from './output.ts';

interface Flags {
  company?: number;
  secret?: string;
  dataDir?: string;
  json?: boolean;
}

export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks').description('Incoming webhooks.');
  webhooks.addCommand(signCommand());
  webhooks.addCommand(settingsCommand());
  return withExample(webhooks, 'tradeloom webhooks sign --company 1 event.json > headers');
}

function signCommand(): Command {
  const command = new Command('sign')
    .description('Print signature headers for a body, for curl -H @headers --data-binary @event.json.')
    .argument('[file]', 'file with the body (standard input)', '-')
    .option('--company <id>', 'sign with the stored webhook secret of this company', wholeNumber)
    .option('--secret <whsec_…>', 'sign with this secret instead')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, flags: Flags) => {
      const body = readFileSync(file === '-' ? 0 : file, 'utf8');
      const now = systemClock.now();
      const timestamp = Math.floor(now.getTime() / 1000);
      const signed = signDelivery(await secretOf(flags, now), { id: `msg_${randomUUID()}`, timestamp, body });
      const headers = flags.company === undefined ? signed : { 'x-company-id': String(flags.company), ...signed };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      printResult(flags.json, { headers }, lines.join('\n'));
    });
  return withExample(command, 'tradeloom webhooks sign --company 1 event.json > headers');
}

function settingsCommand(): Command {
  const command = new Command('settings')
    .description('Show or change which signatures a company accepts.')
    .requiredOption('--company <id>', 'company of the webhook', wholeNumber)
    .option('--require-timestamp', 'refuse signatures without a timestamp, which can be replayed at any time')
    .option('--no-require-timestamp', 'accept them (the default)')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { company: number; requireTimestamp?: boolean; dataDir?: string; json?: boolean }) => {
      const { company, requireTimestamp } = flags;
      const given = requireTimestamp === undefined ? {} : { require_timestamp: requireTimestamp };
      const { require_timestamp } = await withDatabase(flags, ({ db }) =>
        changeWebhookSettings(db, company, given, { now: systemClock.now(), actor: 'cli' }),
      );
      printResult(flags.json, { company_id: company, require_timestamp }, timestampLine(company, require_timestamp));
    });
  return withExample(command, 'tradeloom webhooks settings --company 1 --require-timestamp');
}

/** The line about the switch that is printed wherever a webhook secret is shown. */
export function timestampLine(companyId: number, required: boolean): string {
  return required
    ? 'Signatures without a timestamp are refused (require_timestamp is on).'
    : `Signatures without a timestamp are accepted and can be replayed (require_timestamp is off).\nTo refuse them: tradeloom webhooks settings --company ${companyId} --require-timestamp`;
}

async function secretOf({ company, secret, dataDir }: Flags, now: Date): Promise<string> {
  if (secret !== undefined) return secret;
  if (company === undefined) throw new UsageError('Specify --company or --secret');
  const [newest] = await withDatabase({ dataDir }, ({ db, masterKey }) => webhookSecrets(db, company, masterKey, now));
  if (newest === undefined) throw new Error(`No such company ${company}`);
  return newest;
}
