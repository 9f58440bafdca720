import type { Caller } from '../../caller.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { found, invalidField } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../configuration.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type {
  ShippingMethod,
  ShippingMethodInput,
  ShippingMethodPatch,
  ShippingMethodQuery,
  ShippingZone,
  ShippingZoneInput,
  ShippingZonePatch,
} from './contract.ts';
import { methodRecord, methodValues, NEW_ZONE, zoneRecord, zoneValues } from './fields.ts';
import * as queries from './queries.ts';

const MAX_ZONES = 1_000;
const MAX_METHODS = 5_000;

/** By position. */
export async function listZones(db: Db, companyId: number, query: PageQuery): Promise<Page<ShippingZone>> {
  const page = pageOf(query);
  const [total, rows] = await Promise.all([queries.countZones(db, companyId), queries.listZones(db, companyId, page)]);
  return { rows: rows.map(zoneRecord), total, ...page };
}

/** Throws not_found. */
export async function getZone(db: Db, companyId: number, id: number): Promise<ShippingZone> {
  return zoneRecord(found(await queries.findZone(db, companyId, id), 'shipping zone'));
}

/** Throws validation_failed. */
export async function createZone(
  deps: ConfigurationDeps,
  caller: Caller,
  input: ShippingZoneInput,
): Promise<ShippingZone> {
  const { companyId, now } = caller;
  const values = zoneValues(input, NEW_ZONE);
  return configure(deps, caller, { action: 'shipping_zone.create', details: input }, async (tx) => {
    checkRoom(await queries.countZones(tx, companyId), MAX_ZONES, 'shipping zones');
    return zoneRecord(await queries.insertZone(tx, companyId, values, now));
  });
}

/** Sets what is given. Throws not_found, validation_failed. */
export async function updateZone(
  deps: ConfigurationDeps,
  caller: Caller,
  id: number,
  patch: ShippingZonePatch,
): Promise<ShippingZone> {
  const { companyId, now } = caller;
  return configure(deps, caller, { action: 'shipping_zone.update', details: patch }, async (tx) => {
    const old = found(await queries.lockZone(tx, companyId, id), 'shipping zone');
    return zoneRecord(await queries.updateZone(tx, companyId, id, zoneValues(patch, old), now));
  });
}

/** With its methods; gives the zone as it was. Throws not_found. */
export async function deleteZone(deps: ConfigurationDeps, caller: Caller, id: number): Promise<ShippingZone> {
  return configure(deps, caller, { action: 'shipping_zone.delete' }, async (tx) =>
    zoneRecord(found(await queries.deleteZone(tx, caller.companyId, id), 'shipping zone')),
  );
}

/** By position. */
export async function listMethods(db: Db, shop: Shop, query: ShippingMethodQuery): Promise<Page<ShippingMethod>> {
  const page = pageOf(query);
  const [total, rows] = await Promise.all([
    queries.countMethods(db, shop.companyId, query.zone_id),
    queries.listMethods(db, shop.companyId, query.zone_id, page),
  ]);
  return { rows: rows.map((row) => methodRecord(row, shop)), total, ...page };
}

/** Throws not_found. */
export async function getMethod(db: Db, shop: Shop, id: number): Promise<ShippingMethod> {
  return methodRecord(found(await queries.findMethod(db, shop.companyId, id), 'shipping method'), shop);
}

/** Throws validation_failed. */
export async function createMethod(
  deps: ConfigurationDeps,
  shop: Shop,
  caller: Caller,
  input: ShippingMethodInput,
): Promise<ShippingMethod> {
  const { companyId, now } = caller;
  const values = methodValues(input, null, shop);
  return configure(deps, caller, { action: 'shipping_method.create', details: input }, async (tx) => {
    checkRoom(await queries.countMethods(tx, companyId), MAX_METHODS, 'shipping methods');
    await checkZone(tx, companyId, values.zone_id);
    return methodRecord(await queries.insertMethod(tx, companyId, values, now), shop);
  });
}

/** Sets what is given. Throws not_found, validation_failed. */
export async function updateMethod(
  deps: ConfigurationDeps,
  shop: Shop,
  caller: Caller,
  id: number,
  patch: ShippingMethodPatch,
): Promise<ShippingMethod> {
  const { companyId, now } = caller;
  return configure(deps, caller, { action: 'shipping_method.update', details: patch }, async (tx) => {
    // The zone before its method: deleting a zone takes them in this order.
    if (patch.zone_id !== undefined) await checkZone(tx, companyId, patch.zone_id);
    const old = found(await queries.lockMethod(tx, companyId, id), 'shipping method');
    return methodRecord(await queries.updateMethod(tx, companyId, id, methodValues(patch, old, shop), now), shop);
  });
}

/** Gives the method as it was. Throws not_found. */
export async function deleteMethod(
  deps: ConfigurationDeps,
  shop: Shop,
  caller: Caller,
  id: number,
): Promise<ShippingMethod> {
  return configure(deps, caller, { action: 'shipping_method.delete' }, async (tx) =>
    methodRecord(found(await queries.deleteMethod(tx, caller.companyId, id), 'shipping method'), shop),
  );
}

/** Locks it, so that it is still there when the method comes. */
async function checkZone(tx: Tx, companyId: number, zoneId: number): Promise<void> {
  if ((await queries.lockZone(tx, companyId, zoneId)) === undefined) {
    throw invalidField('zone_id', 'zone_id names no shipping zone', 'unknown');
  }
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createShippingService(deps: ConfigurationDeps & { shops: ShopCache }) {
  const { db, shops } = deps;
  return {
    listZones: (companyId: number, query: PageQuery) => listZones(db.lists(companyId), companyId, query),
    getZone: (companyId: number, id: number) => getZone(db.points(companyId), companyId, id),
    createZone: (caller: Caller, input: ShippingZoneInput) => createZone(deps, caller, input),
    updateZone: (caller: Caller, id: number, patch: ShippingZonePatch) => updateZone(deps, caller, id, patch),
    deleteZone: (caller: Caller, id: number) => deleteZone(deps, caller, id),
    listMethods: async (companyId: number, query: ShippingMethodQuery) =>
      listMethods(db.lists(companyId), await shops.get(companyId), query),
    getMethod: async (companyId: number, id: number) => getMethod(db.points(companyId), await shops.get(companyId), id),
    createMethod: async (caller: Caller, input: ShippingMethodInput) =>
      createMethod(deps, await shops.get(caller.companyId), caller, input),
    updateMethod: async (caller: Caller, id: number, patch: ShippingMethodPatch) =>
      updateMethod(deps, await shops.get(caller.companyId), caller, id, patch),
    deleteMethod: async (caller: Caller, id: number) =>
      deleteMethod(deps, await shops.get(caller.companyId), caller, id),
  };
}

export type ShippingService = ReturnType<typeof createShippingService>;
