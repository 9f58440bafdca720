import type { Caller } from '../../../caller.ts';
import { found } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../../configuration.ts';
import type { ShopCache } from '../../shop.ts';
import { requireZone } from '../zones/service.ts';
import type { ShippingMethod, ShippingMethodInput, ShippingMethodPatch, ShippingMethodQuery } from './contract.ts';
import { methodRecord, methodValues } from './fields.ts';
import * as queries from './queries.ts';

/** All of them are kept in memory (see shop.ts). */
const MAX_METHODS = 5_000;

export type ShippingMethodsService = ReturnType<typeof createShippingMethodsService>;

/** How the shop ships, and for how much. Changes apply to orders placed after them. */
export function createShippingMethodsService(deps: ConfigurationDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    /** By position. */
    async listMethods(companyId: number, query: ShippingMethodQuery): Promise<Page<ShippingMethod>> {
      const lane = db.lists(companyId);
      const shop = await shops.get(companyId);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        queries.countMethods(lane, companyId, query.zone_id),
        queries.listMethods(lane, companyId, query.zone_id, page),
      ]);
      return { rows: rows.map((row) => methodRecord(row, shop)), total, ...page };
    },

    /** Throws not_found. */
    async getMethod(companyId: number, id: number): Promise<ShippingMethod> {
      const shop = await shops.get(companyId);
      return methodRecord(
        found(await queries.findMethod(db.points(companyId), companyId, id), 'shipping method'),
        shop,
      );
    },

    /** Throws validation_failed. */
    async createMethod(caller: Caller, input: ShippingMethodInput): Promise<ShippingMethod> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      const values = methodValues(input, null, shop);
      return configure(deps, caller, { action: 'shipping_method.create', details: input }, async (tx) => {
        checkRoom(await queries.countMethods(tx, companyId), MAX_METHODS, 'shipping methods');
        await requireZone(tx, companyId, values.zone_id);
        return methodRecord(await queries.insertMethod(tx, companyId, values, now), shop);
      });
    },

    /** Sets the fields that are given. Throws not_found, validation_failed. */
    async updateMethod(caller: Caller, id: number, patch: ShippingMethodPatch): Promise<ShippingMethod> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return configure(deps, caller, { action: 'shipping_method.update', details: patch }, async (tx) => {
        // Locks the zone before its method, as deleting a zone does.
        if (patch.zone_id !== undefined) await requireZone(tx, companyId, patch.zone_id);
        const old = found(await queries.lockMethod(tx, companyId, id), 'shipping method');
        return methodRecord(await queries.updateMethod(tx, companyId, id, methodValues(patch, old, shop), now), shop);
      });
    },

    /** Returns the deleted method. Throws not_found. */
    async deleteMethod(caller: Caller, id: number): Promise<ShippingMethod> {
      const shop = await shops.get(caller.companyId);
      return configure(deps, caller, { action: 'shipping_method.delete' }, async (tx) =>
        methodRecord(found(await queries.deleteMethod(tx, caller.companyId, id), 'shipping method'), shop),
      );
    },
  };
}
