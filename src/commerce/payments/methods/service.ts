import type { Caller } from '../../../caller.ts';
import type { Tx } from '../../../db/pool.ts';
import { found, invalidField, validationFailed } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../../configuration.ts';
import type { ShopCache } from '../../shop.ts';
import type { PaymentMethod, PaymentMethodInput, PaymentMethodPatch } from './contract.ts';
import { changedMethod, methodRecord, newMethod, noAccount } from './fields.ts';
import { IMPORTED_KIND } from './method.ts';
import * as queries from './queries.ts';

/** Bounded, because all of them are kept in memory (see shop.ts). */
const MAX_METHODS = 50;

export type PaymentMethodsService = ReturnType<typeof createPaymentMethodsService>;

/** How buyers can pay. */
export function createPaymentMethodsService(deps: ConfigurationDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    /** By position. */
    async listMethods(companyId: number, query: PageQuery): Promise<Page<PaymentMethod>> {
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const all = await queries.listMethods(db.lists(companyId), companyId);
      const rows = all.slice(page.skip, page.skip + page.take).map((row) => methodRecord(row, shop));
      return { rows, total: all.length, ...page };
    },

    /** Throws not_found. */
    async getMethod(companyId: number, id: number): Promise<PaymentMethod> {
      const shop = await shops.get(companyId);
      const row = await queries.findMethod(db.points(companyId), companyId, id);
      return methodRecord(found(row, 'payment method'), shop);
    },

    /** Throws validation_failed. */
    async createMethod(caller: Caller, input: PaymentMethodInput): Promise<PaymentMethod> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      const values = newMethod(input, shop);
      return configure(deps, caller, { action: 'payment_method.create', details: input }, async (tx) => {
        const all = await queries.listMethods(tx, companyId);
        checkRoom(all.filter(({ kind }) => kind !== IMPORTED_KIND).length, MAX_METHODS, 'payment methods');
        await checkAccount(tx, companyId, values);
        return methodRecord(await queries.insertMethod(tx, companyId, values, now), shop);
      });
    },

    /** Sets the given fields. Throws not_found, validation_failed. */
    async updateMethod(caller: Caller, id: number, patch: PaymentMethodPatch): Promise<PaymentMethod> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return configure(deps, caller, { action: 'payment_method.update', details: patch }, async (tx) => {
        const old = found(await queries.lockMethod(tx, companyId, id), 'payment method');
        if (old.kind === IMPORTED_KIND)
          throw invalidField('kind', 'The method of imported payments cannot be changed', 'not_allowed');
        const values = changedMethod(patch, old, shop);
        if (values.account_id !== old.account_id) await checkAccount(tx, companyId, values);
        return methodRecord(await queries.updateMethod(tx, companyId, id, values, now), shop);
      });
    },
  };
}

/** A new account of a method must be able to take payments. Throws validation_failed. */
async function checkAccount(tx: Tx, companyId: number, { provider, account_id }: queries.MethodValues): Promise<void> {
  if (account_id === null) return;
  const account = await queries.holdAccount(tx, companyId, account_id);
  if (account?.active !== true || account.provider !== provider) throw validationFailed([noAccount(provider)]);
}
