import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { type Allocation, type AskedLine, allocate, type StockLocation } from './allocate.ts';

/** The largest stock of a product, at a location and in sum. */
export const MAX_STOCK = 1_000_000_000;

/** The stock of a product at a location other than the main one. */
export interface LevelRow {
  product_id: number;
  location_id: number;
  available: number;
}

/** Whether stock can be anywhere but at the main location. Without other locations there are no levels to read. */
export function hasLevels(locations: readonly StockLocation[]): boolean {
  return locations.length > 1;
}

/** Read after the stock of the products was locked, the levels stay as they are until COMMIT. */
export async function readLevels(db: Queryable, companyId: number, productIds: readonly number[]): Promise<LevelRow[]> {
  return db.query<LevelRow>(sql`
    select product_id, location_id, available from stock_levels
    where company_id = ${companyId} and product_id = any(${[...productIds]}::bigint[])`);
}

/** The stock of products, in sum and at each active location, as changes that follow each other see it. Pure. */
export class Levels {
  private readonly locations: ReadonlyMap<number, StockLocation>;
  private readonly online: readonly StockLocation[];
  private readonly stockBefore: (productId: number) => number;
  private readonly stock = new Map<number, number>();
  /** By product, then by location. */
  private readonly levels = new Map<number, Map<number, number>>();
  /** What a product has at other online locations than the main one. */
  private readonly elsewhere = new Map<number, number>();

  /**
   * @param locations the active ones, by position
   * @param stockBefore `stock_qty` of a product
   */
  constructor(
    locations: readonly StockLocation[],
    stockBefore: (productId: number) => number,
    rows: readonly LevelRow[] = [],
  ) {
    this.locations = new Map(locations.map((one) => [one.id, one]));
    this.online = locations.filter(({ online }) => online);
    this.stockBefore = stockBefore;
    for (const row of rows) this.changeLevel(row.product_id, row.location_id, row.available);
  }

  /** What can be sold: the sum over the online locations. */
  stockOf(productId: number): number {
    return this.stock.get(productId) ?? this.stockBefore(productId);
  }

  /** What can be taken at the location; without one, at any online location. */
  available(productId: number, locationId: number | null): number {
    if (locationId === null) return this.stockOf(productId);
    if (!this.locations.get(locationId)?.main) return this.levels.get(productId)?.get(locationId) ?? 0;
    return Math.max(0, this.stockOf(productId) - (this.elsewhere.get(productId) ?? 0));
  }

  /** Whether the units are more than a stock has room for. */
  isTooLarge(productId: number, locationId: number, delta: number): boolean {
    if (delta <= 0) return false;
    const isOnline = this.locations.get(locationId)?.online === true;
    const before = isOnline ? this.stockOf(productId) : 0;
    return Math.max(before, this.available(productId, locationId)) + delta > MAX_STOCK;
  }

  /** Says where the lines are taken. The caller has checked that there is enough. */
  allocate(lines: readonly AskedLine[], locationId: number | null): Allocation[] {
    const usable = locationId === null ? this.online : [{ id: locationId }];
    return allocate(lines, (productId, id) => this.available(productId, id), usable);
  }

  change(productId: number, locationId: number, delta: number): void {
    const { main, online } = this.locations.get(locationId)!;
    if (online) this.changeStock(productId, delta);
    if (!main) this.changeLevel(productId, locationId, delta);
  }

  /** The same for the main location. */
  changeStock(productId: number, delta: number): void {
    this.stock.set(productId, this.stockOf(productId) + delta);
  }

  /** The sums of all products whose sum was changed. */
  changes(): { productId: number; before: number; after: number }[] {
    return [...this.stock].map(([productId, after]) => ({ productId, before: this.stockBefore(productId), after }));
  }

  private changeLevel(productId: number, locationId: number, delta: number): void {
    const own = this.levels.get(productId) ?? new Map<number, number>();
    this.levels.set(productId, own);
    own.set(locationId, (own.get(locationId) ?? 0) + delta);
    if (!this.locations.get(locationId)?.online) return;
    this.elsewhere.set(productId, (this.elsewhere.get(productId) ?? 0) + delta);
  }
}
