import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { findCompany } from '../access/company-queries.ts';
import { requireMasterKey } from '../access/sealing/require-key.ts';
import { systemClock } from '../clock.ts';
import { ACCOUNT_MODES } from '../commerce/payments/accounts/account.ts';
import type { PaymentAccountInput } from '../commerce/payments/accounts/contract.ts';
import { checkAccountIn, createAccountIn, listAccountsIn } from '../commerce/payments/accounts/service.ts';
import { createProviders } from '../commerce/payments/providers/load.ts';
import { PAYMENT_SERVICES } from '../commerce/payments/providers/provider.ts';
import { loadShop } from '../commerce/shop.ts';
import { PAYMENT_SECRETS, readPaymentSecrets } from '../config.ts';
import { found } from '../errors.ts';
import { originOf } from '../origin.ts';
import { type Workplace, withDatabase } from './database.ts';
import { wholeNumber } from './numbers.ts';
import { printResult, table, UsageError, withExample } from './output.ts';

const EXAMPLE =
  'tradeloom payment-accounts add --company 1 --provider mollie --mode test --name Mollie --activate < mollie.key';

export function paymentAccountsCommand(): Command {
  const accounts = new Command('payment-accounts').description("A company's accounts at payment services.");
  for (const command of [listCommand(), addCommand(), checkCommand()]) accounts.addCommand(command);
  return withExample(accounts, 'tradeloom payment-accounts list --company 1');
}

function listCommand(): Command {
  const command = new Command('list')
    .description("List a company's payment accounts, without their secrets.")
    .requiredOption('--company <id>', "the company's id", wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { company: number; dataDir?: string; json?: boolean }) => {
      const accounts = await withDatabase(flags, async (place) => {
        found(await findCompany(place.db, flags.company), `company ${flags.company}`);
        return listAccountsIn(place.db, flags.company, { origin: originIn(place) });
      });
      printResult(
        flags.json,
        { payment_accounts: accounts },
        table(
          ['ID', 'NAME', 'SERVICE', 'MODE', 'STATUS', 'SECRET KEY', 'WEBHOOKS'],
          accounts.map(({ id, name, provider, mode, active, secret_end, webhook_url }) => [
            ...[id, name, provider, mode, active ? 'active' : 'inactive'],
            ...[secret_end === null ? '' : `…${secret_end}`, webhook_url],
          ]),
        ),
      );
    });
  return withExample(command, 'tradeloom payment-accounts list --company 1');
}

interface AddFlags extends Pick<PaymentAccountInput, 'provider' | 'mode' | 'name'> {
  company: number;
  publishableKey?: string;
  activate?: boolean;
  dataDir?: string;
  json?: boolean;
}

function addCommand(): Command {
  const command = new Command('add')
    .description(
      `Add an account. The secret key is the first line of standard input, and the webhook secret the second, unless ${PAYMENT_SECRETS.secretKey} and ${PAYMENT_SECRETS.webhookSecret} are set.`,
    )
    .requiredOption('--company <id>', "the company's id", wholeNumber)
    .addOption(new Option('--provider <name>', 'payment service').choices(PAYMENT_SERVICES).makeOptionMandatory())
    .addOption(new Option('--mode <mode>', 'mode of the keys').choices(ACCOUNT_MODES).makeOptionMandatory())
    .requiredOption('--name <name>', 'name for staff')
    .option('--publishable-key <key>', 'the key for browsers, which Stripe needs')
    .option('--activate', 'let payment methods use it')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async ({ company, provider, mode, name, publishableKey, activate, ...flags }: AddFlags) => {
      const input: PaymentAccountInput = {
        provider,
        mode,
        name,
        ...secretsGiven(),
        publishable_key: publishableKey ?? null,
        active: activate ?? false,
      };
      const maker = { companyId: company, now: systemClock.now(), actor: 'cli' };
      const account = await withDatabase(flags, async (place) => {
        await requireMasterKey(place.db, place.masterKey, place.config);
        const deps = { masterKey: place.masterKey, providers: providersOf(place), origin: originIn(place) };
        return place.db.tx((tx) => createAccountIn(tx, maker, input, deps));
      });
      printResult(
        flags.json,
        account,
        `Payment account ${account.id} (${account.name}) of company ${company}. Webhooks of the service go to:\n${account.webhook_url}`,
      );
    });
  return withExample(command, EXAMPLE);
}

function checkCommand(): Command {
  const command = new Command('check')
    .description('Ask the service which payment methods an account offers. Fails if it refuses the keys.')
    .requiredOption('--company <id>', "the company's id", wholeNumber)
    .requiredOption('--account <id>', "the account's id", wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { company: number; account: number; dataDir?: string; json?: boolean }) => {
      const maker = { companyId: flags.company, now: systemClock.now(), actor: 'cli' };
      const result = await withDatabase(flags, async (place) => {
        const shop = await loadShop(place.db, flags.company);
        const deps = { db: place.db, masterKey: place.masterKey, providers: providersOf(place) };
        return checkAccountIn(deps, maker, flags.account, shop);
      });
      const text = result.ok ? `The account offers: ${result.methods.join(', ') || 'no method'}.` : result.message!;
      printResult(flags.json, result, text);
      if (!result.ok) process.exitCode = 1;
    });
  return withExample(command, 'tradeloom payment-accounts check --company 1 --account 2');
}

/** Not from arguments, which others on the machine can read, and which shells remember. */
function secretsGiven(): Pick<PaymentAccountInput, 'secret_key' | 'webhook_secret'> {
  const { secretKey, webhookSecret } = readPaymentSecrets();
  if (secretKey !== null) return { secret_key: secretKey, webhook_secret: webhookSecret };
  const [first = '', second = ''] = readFileSync(0, 'utf8').split('\n', 2);
  if (first.trim() === '')
    throw new UsageError(`Give the secret key on standard input, or in ${PAYMENT_SECRETS.secretKey}`);
  return { secret_key: first.trim(), webhook_secret: webhookSecret ?? (second.trim() || null) };
}

function providersOf({ config }: Workplace) {
  return createProviders(config.paymentUrls);
}

function originIn({ config }: Workplace): () => string {
  return () => originOf(config);
}
