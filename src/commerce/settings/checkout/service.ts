import type { Caller } from '../../../caller.ts';
import { invalidField, validationFailed } from '../../../errors.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { type ConfigurationDeps, configure } from '../../configuration.ts';
import { DEFAULT_CHECKOUT } from '../../shop.ts';
import type { CheckoutSettings, CheckoutSettingsPatch } from './contract.ts';
import * as queries from './queries.ts';

export type CheckoutSettingsService = ReturnType<typeof createCheckoutSettingsService>;

/** Where the storefront is, and how its carts behave. */
export function createCheckoutSettingsService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    async getSettings(companyId: number): Promise<CheckoutSettings> {
      return { ...DEFAULT_CHECKOUT, ...(await queries.findCheckout(db.points(companyId), companyId)) };
    },

    /** Sets the given fields. Throws validation_failed. */
    async updateSettings(caller: Caller, patch: CheckoutSettingsPatch): Promise<CheckoutSettings> {
      if (patch.store_url != null && !isStoreUrl(patch.store_url)) {
        throw validationFailed([wrong('store_url', problem('no_store_url'), 'wrong_format')]);
      }
      if (patch.retry_days !== undefined && !isAscending(patch.retry_days)) {
        throw invalidField('retry_days', 'retry_days must be ascending', 'out_of_range');
      }
      return configure(deps, caller, { action: 'checkout_settings.update', details: patch }, async (tx) => {
        return { ...DEFAULT_CHECKOUT, ...(await queries.mergeCheckout(tx, caller.companyId, patch)) };
      });
    },
  };
}

function isAscending(days: readonly number[]): boolean {
  return days.every((day, i) => i === 0 || day > days[i - 1]!);
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Links are made by appending to the address, so it has neither query nor fragment. */
export function isStoreUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username + url.password !== '' || /[?#\s\\]/.test(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname));
}
