import { isTimeZone } from '../../access/service.ts';
import type { Caller } from '../../caller.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { type FieldError, validationFailed } from '../../errors.ts';
import { exponentOf, isCurrency } from '../../lib/currency.ts';
import { type ConfigurationDeps, configure } from '../configuration.ts';
import { readCountry } from '../fields.ts';
import { rescheduleSubscriptions } from '../subscriptions/service.ts';
import type { Settings, SettingsPatch } from './contract.ts';
import * as queries from './queries.ts';

export async function getSettings(db: Db, companyId: number): Promise<Settings> {
  return settingsRecord(await queries.findSettings(db, companyId));
}

/** Sets what is given. Throws validation_failed. */
export async function updateSettings(deps: ConfigurationDeps, caller: Caller, patch: SettingsPatch): Promise<Settings> {
  const { companyId } = caller;
  return configure(deps, caller, { action: 'settings.update', details: patch }, async (tx) => {
    const old = await queries.lockSettings(tx, companyId);
    const errors: FieldError[] = [];
    const currency = patch.currency ?? old.currency;
    if (currency !== old.currency) await checkCurrency(tx, companyId, currency, old.currency_exponent, errors);
    const time_zone = patch.time_zone ?? old.time_zone;
    if (!isTimeZone(time_zone)) {
      const message = 'time_zone must be an IANA name such as Europe/Berlin';
      errors.push({ field: 'time_zone', code: 'unknown', message });
    }
    const country = patch.country === undefined ? old.country : readCountry('country', patch.country, errors);
    if (errors.length > 0) throw validationFailed(errors);
    if (time_zone !== old.time_zone) await rescheduleSubscriptions(tx, companyId, time_zone);
    const { tax_rounding, prices_include_tax } = patch;
    const row = await queries.updateSettings(tx, companyId, {
      name: patch.name ?? old.name,
      currency,
      currency_exponent: exponentOf(currency),
      time_zone,
      country,
      settings: { tax_rounding, prices_include_tax },
    });
    return settingsRecord(row);
  });
}

async function checkCurrency(
  tx: Tx,
  companyId: number,
  currency: string,
  oldExponent: number,
  errors: FieldError[],
): Promise<void> {
  const fail = (code: string, message: string): void => void errors.push({ field: 'currency', code, message });
  if (!isCurrency(currency)) return fail('unknown', 'currency must be an ISO 4217 code such as EUR');
  const uses = await queries.findUsesOfCurrency(tx, companyId);
  if (uses.orders) return fail('fixed', 'currency is fixed since the first order');
  // Amounts are kept in minor units: with another number of decimals they would be others.
  if (uses.amounts && exponentOf(currency) !== oldExponent) {
    fail('fixed', 'currency must keep its number of decimals, since there are prices already');
  }
}

function settingsRecord(row: queries.SettingsRow): Settings {
  return {
    name: row.name,
    currency: row.currency,
    time_zone: row.time_zone,
    country: row.country,
    tax_rounding: row.settings.tax_rounding ?? 'line',
    prices_include_tax: row.settings.prices_include_tax ?? false,
  };
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createSettingsService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    getSettings: (companyId: number) => getSettings(db.points(companyId), companyId),
    updateSettings: (caller: Caller, patch: SettingsPatch) => updateSettings(deps, caller, patch),
  };
}

export type SettingsService = ReturnType<typeof createSettingsService>;
