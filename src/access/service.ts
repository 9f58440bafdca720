import type { Db, Tx } from '../db/pool.ts';
import { invalidField } from '../errors.ts';
import { languageOf, normaliseCountry, requiresOptIn } from '../lib/countries.ts';
import { exponentOf, isCurrency } from '../lib/currency.ts';
import { recordAuditEntry } from './audit.ts';
import * as companyQueries from './company-queries.ts';
import type { MasterKey } from './master-key.ts';
import * as webhookSecretQueries from './webhook-secret-queries.ts';
import { newWebhookSecret } from './webhook-secrets.ts';

export interface Company {
  company_id: number;
  name: string;
  currency: string;
  time_zone: string;
  country: string;
  created_at: Date;
  webhook_secret: string;
}

export interface NewCompany {
  name: string;
  currency: string;
  timeZone: string;
  country: string;
  now: Date;
  masterKey: MasterKey;
  actor?: string;
  /** Settings that differ from the defaults of the API. */
  loyalty?: { earn_on: 'delivered' };
}

/** Creates a company; only this call returns its webhook secret. */
export async function createCompany(db: Db, input: NewCompany): Promise<Company> {
  return db.tx((tx) => createCompanyIn(tx, input));
}

/** Like `createCompany`, within the caller's transaction. */
export async function createCompanyIn(tx: Tx, input: NewCompany): Promise<Company> {
  const name = input.name.trim();
  if (name === '' || name.length > 255) throw invalidField('name', 'The name must have 1 to 255 characters');
  if (!isCurrency(input.currency)) throw invalidField('currency', 'The currency must be an ISO 4217 code such as EUR');
  if (!isTimeZone(input.timeZone))
    throw invalidField('time_zone', 'The time zone must be an IANA name such as Europe/Berlin');
  if (normaliseCountry(input.country) !== input.country)
    throw invalidField('country', 'The country must be an ISO 3166 code of two letters such as DE');
  const row = await companyQueries.insertCompany(tx, {
    name,
    currency: input.currency,
    exponent: exponentOf(input.currency),
    timeZone: input.timeZone,
    country: input.country,
    settings: settingsOf(input),
    now: input.now,
  });
  await companyQueries.insertCompanyDefaults(tx, row.company_id, input.now);
  const secret = await equipCompanyIn(tx, row.company_id, {
    ...input,
    action: 'company.create',
    details: { name, currency: row.currency, time_zone: row.time_zone },
  });
  const { company_id, currency, time_zone, country, created_at } = row;
  return { company_id, name, currency, time_zone, country, created_at, webhook_secret: secret };
}

function settingsOf({ country, loyalty }: NewCompany): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  const messaging: Record<string, unknown> = {};
  if (requiresOptIn(country)) messaging.new_contacts_by_events = 'never';
  // English is the default.
  if (languageOf(country) !== 'en') messaging.language = languageOf(country);
  if (Object.keys(messaging).length > 0) settings.messaging = messaging;
  if (loyalty !== undefined) settings.loyalty = loyalty;
  return settings;
}

/** Adds what every company has besides its data: a webhook secret, which is returned, and the installation's owners. */
export async function equipCompanyIn(
  tx: Tx,
  companyId: number,
  {
    actor = 'cli',
    now,
    masterKey,
    action,
    details,
  }: Pick<NewCompany, 'actor' | 'now' | 'masterKey'> & {
    action: string;
    details: Record<string, unknown>;
  },
): Promise<string> {
  const secret = newWebhookSecret();
  await webhookSecretQueries.insertSecret(tx, companyId, { kind: 'webhook', ciphertext: masterKey.seal(secret), now });
  await companyQueries.inheritOwners(tx, companyId, now);
  await recordAuditEntry(tx, companyId, { at: now, actor, action, target: `company:${companyId}`, details });
  return secret;
}

export const listCompanies = companyQueries.listCompanies;
export const findCompany = companyQueries.findCompany;

/** Whether it is an IANA name; offsets such as +01:00, which PostgreSQL interprets with the opposite sign, are not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
