import type { Caller } from '../../../caller.ts';
import type { Tx } from '../../../db/pool.ts';
import { found, invalidField } from '../../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../../lib/paging.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../../configuration.ts';
import type { ShippingZone, ShippingZoneInput, ShippingZonePatch } from './contract.ts';
import { NEW_ZONE, zoneRecord, zoneValues } from './fields.ts';
import * as queries from './queries.ts';

/** All of them are kept in memory (see shop.ts). */
const MAX_ZONES = 1_000;

export type ShippingZonesService = ReturnType<typeof createShippingZonesService>;

/** Where the shop ships to. Changes apply to orders placed after them. */
export function createShippingZonesService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    /** By position. */
    async listZones(companyId: number, query: PageQuery): Promise<Page<ShippingZone>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        queries.countZones(lane, companyId),
        queries.listZones(lane, companyId, page),
      ]);
      return { rows: rows.map(zoneRecord), total, ...page };
    },

    /** Throws not_found. */
    async getZone(companyId: number, id: number): Promise<ShippingZone> {
      return zoneRecord(found(await queries.findZone(db.points(companyId), companyId, id), 'shipping zone'));
    },

    /** Throws validation_failed. */
    async createZone(caller: Caller, input: ShippingZoneInput): Promise<ShippingZone> {
      const { companyId, now } = caller;
      const values = zoneValues(input, NEW_ZONE);
      return configure(deps, caller, { action: 'shipping_zone.create', details: input }, async (tx) => {
        checkRoom(await queries.countZones(tx, companyId), MAX_ZONES, 'shipping zones');
        return zoneRecord(await queries.insertZone(tx, companyId, values, now));
      });
    },

    /** Sets the fields that are given. Throws not_found, validation_failed. */
    async updateZone(caller: Caller, id: number, patch: ShippingZonePatch): Promise<ShippingZone> {
      const { companyId, now } = caller;
      return configure(deps, caller, { action: 'shipping_zone.update', details: patch }, async (tx) => {
        const old = found(await queries.lockZone(tx, companyId, id), 'shipping zone');
        return zoneRecord(await queries.updateZone(tx, companyId, id, zoneValues(patch, old), now));
      });
    },

    /** Deletes the zone and its methods; returns the deleted zone. Throws not_found. */
    async deleteZone(caller: Caller, id: number): Promise<ShippingZone> {
      return configure(deps, caller, { action: 'shipping_zone.delete' }, async (tx) =>
        zoneRecord(found(await queries.deleteZone(tx, caller.companyId, id), 'shipping zone')),
      );
    },
  };
}

/** Locks the zone until COMMIT, for a method that is about to refer to it. Throws validation_failed on `zone_id`. */
export async function requireZone(tx: Tx, companyId: number, zoneId: number): Promise<void> {
  if ((await queries.lockZone(tx, companyId, zoneId)) === undefined) {
    throw invalidField('zone_id', 'Unknown shipping zone', 'unknown');
  }
}
