import { isTimeZone } from '../../access/service.ts';
import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { type FieldError, validationFailed } from '../../errors.ts';
import { exponentOf, isCurrency } from '../../lib/currency.ts';
import { type KnownProblem, problem, wrong } from '../../lib/validation/problems.ts';
import { type ConfigurationDeps, configure } from '../configuration.ts';
import { readCountry } from '../fields.ts';
import { rescheduleSubscriptions } from '../subscriptions/service.ts';
import type { Settings, SettingsPatch } from './contract.ts';
import * as queries from './queries.ts';

export type SettingsService = ReturnType<typeof createSettingsService>;

/** The shop's name, currency, time zone, country and tax settings. */
export function createSettingsService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    async getSettings(companyId: number): Promise<Settings> {
      return settingsRecord(await queries.findSettings(db.points(companyId), companyId));
    },

    /** Sets the given fields. Throws validation_failed. */
    async updateSettings(caller: Caller, patch: SettingsPatch): Promise<Settings> {
      const { companyId } = caller;
      return configure(deps, caller, { action: 'settings.update', details: patch }, async (tx) => {
        const old = await queries.lockSettings(tx, companyId);
        const values = await settingsValues(tx, companyId, patch, old);
        if (values.time_zone !== old.time_zone) await rescheduleSubscriptions(tx, companyId, values.time_zone);
        return settingsRecord(await queries.updateSettings(tx, companyId, values));
      });
    },
  };
}

/** Merges the given fields with the old values; `settings` holds only the given ones. Throws validation_failed. */
async function settingsValues(
  tx: Tx,
  companyId: number,
  patch: SettingsPatch,
  old: queries.SettingsRow,
): Promise<queries.SettingsRow> {
  const errors: FieldError[] = [];
  const currency = patch.currency ?? old.currency;
  if (currency !== old.currency) await checkCurrency(tx, companyId, currency, old.currency_exponent, errors);
  const time_zone = patch.time_zone ?? old.time_zone;
  if (!isTimeZone(time_zone)) {
    errors.push(wrong('time_zone', problem('no_time_zone'), 'unknown'));
  }
  const country = patch.country === undefined ? old.country : readCountry('country', patch.country, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return {
    name: patch.name ?? old.name,
    currency,
    currency_exponent: exponentOf(currency),
    time_zone,
    country,
    settings: {
      tax_rounding: patch.tax_rounding,
      prices_include_tax: patch.prices_include_tax,
      address: textOf(patch.address),
      tax_number: textOf(patch.tax_number),
    },
  };
}

/** Null clears the text. */
function textOf(given: string | null | undefined): string | undefined {
  return given === undefined ? undefined : (given ?? '');
}

async function checkCurrency(
  tx: Tx,
  companyId: number,
  currency: string,
  oldExponent: number,
  errors: FieldError[],
): Promise<void> {
  const fail = (kind: string, found: KnownProblem): void => void errors.push(wrong('currency', found, kind));
  if (!isCurrency(currency)) return fail('unknown', problem('no_currency'));
  const uses = await queries.findUsesOfCurrency(tx, companyId);
  if (uses.orders) return fail('fixed', problem('currency_used'));
  // Amounts are stored in minor units: with another number of decimals they would change their value.
  if (uses.amounts && exponentOf(currency) !== oldExponent) {
    fail('fixed', problem('currency_decimals'));
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
    address: row.settings.address ?? '',
    tax_number: row.settings.tax_number ?? '',
  };
}
