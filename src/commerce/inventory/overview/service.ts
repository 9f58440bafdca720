import type { Caller } from '../../../caller.ts';
import type { Db } from '../../../db/pool.ts';
import { found } from '../../../errors.ts';
import { type Page, pageOf } from '../../../lib/paging.ts';
import { parseRef } from '../../products/slug.ts';
import type { ShopCache } from '../../shop.ts';
import { Levels, readLevels } from '../levels.ts';
import { findStock } from '../stock.ts';
import type { InventoryItem, InventoryQuery, Reservation, ReservationQuery } from './contract.ts';
import * as queries from './queries.ts';

interface InventoryDeps {
  db: Db;
  shops: ShopCache;
  sales: { runningOut(companyId: number, now: Date): Promise<{ product_id: number }[]> };
}

export type InventoryService = ReturnType<typeof createInventoryService>;

/** What is where. */
export function createInventoryService({ db, shops, sales }: InventoryDeps) {
  return {
    /** The latest first. A location that is unknown or closed has nothing. */
    async listInventory({ companyId, now }: Caller, query: InventoryQuery): Promise<Page<InventoryItem>> {
      const { location_id, product_id: productId, search, low, running_out: is } = query;
      const [lane, page] = [db.lists(companyId), pageOf(query)];
      const { locations } = await shops.get(companyId);
      const location = locations.find(({ id }) => id === location_id);
      if (location_id !== undefined && location === undefined) return { rows: [], total: 0, ...page };
      const soon = is === undefined ? [] : await sales.runningOut(companyId, now);
      const filters = {
        ...(productId === undefined ? {} : { productId }),
        ...(search === undefined ? {} : { search }),
        ...(low === undefined ? {} : { low }),
        ...(is === undefined ? {} : { runningOut: { is, soon: soon.map(({ product_id }) => product_id) } }),
        ...(location === undefined ? {} : { location }),
      };
      const { total, ids } = await queries.findInventory(db, companyId, filters, page);
      const [rows, levelRows, reserved] = await Promise.all([
        queries.readInventory(lane, companyId, ids),
        readLevels(lane, companyId, ids),
        queries.sumReserved(lane, companyId, ids),
      ]);
      const counted = new Map(rows.map((row) => [row.product_id, row.counted]));
      const levels = new Levels(locations, (id) => counted.get(id)!, levelRows);
      const items = rows.map(({ counted: _, ...row }): InventoryItem => {
        const own = reserved.filter((one) => one.product_id === row.product_id);
        const at = locations.map(({ id, main }) => ({
          location_id: id,
          available: levels.available(row.product_id, id),
          reserved: sum(own.filter((one) => one.location_id === (main ? null : id))),
        }));
        return { ...row, reserved: sum(own), levels: at };
      });
      return { rows: items, total, ...page };
    },

    /** The latest first. Throws not_found. */
    async listReservations(companyId: number, ref: string, query: ReservationQuery): Promise<Page<Reservation>> {
      const { product_id: id } = found(await findStock(db.points(companyId), companyId, parseRef(ref)), 'product');
      const [lane, page] = [db.lists(companyId), pageOf(query)];
      const [total, rows] = await Promise.all([
        queries.countReservations(lane, companyId, id),
        queries.listReservations(lane, companyId, id, page),
      ]);
      const records = rows.map((row) => ({ ...row, reserved_until: row.reserved_until.toISOString() }));
      return { rows: records, total, ...page };
    },
  };
}

function sum(rows: readonly queries.ReservedRow[]): number {
  return rows.reduce((total, { qty }) => total + qty, 0);
}
