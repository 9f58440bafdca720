/** A location as orders need it; `Shop` has the active ones, by position. */
export interface StockLocation {
  id: number;
  main: boolean;
  online: boolean;
}

export interface AskedLine {
  productId: number;
  qty: number;
}

/** Units of a line that are taken at a location. */
export interface Allocation {
  /** The place of the line in `lines`. */
  line: number;
  productId: number;
  locationId: number;
  qty: number;
}

/** What can be taken of a product at a location. */
export type AvailableAt = (productId: number, locationId: number) => number;

/**
 * Says where the units of lines are taken: at the first location that has all lines; else, line by line, at the first that has the whole
 * line; else split over the locations in their order. `locations` are those that may be used, by position. Pure. Throws a RangeError if
 * they have too little, which callers check before.
 */
export function allocate(
  lines: readonly AskedLine[],
  available: AvailableAt,
  locations: readonly Pick<StockLocation, 'id'>[],
): Allocation[] {
  const asked = new Map<number, number>();
  for (const { productId, qty } of lines) asked.set(productId, (asked.get(productId) ?? 0) + qty);
  /** Of each product, what is left at each location. */
  const left = new Map<number, number[]>();
  for (const productId of asked.keys()) {
    left.set(
      productId,
      locations.map(({ id }) => Math.max(0, available(productId, id))),
    );
  }
  const sums = [...asked].map(([productId, qty]) => ({ own: left.get(productId)!, qty }));
  const whole = locations.findIndex((_, at) => sums.every(({ own, qty }) => own[at]! >= qty));

  const allocations: Allocation[] = [];
  for (const [line, { productId, qty }] of lines.entries()) {
    const own = left.get(productId)!;
    const take = (at: number, part: number): void => {
      allocations.push({ line, productId, locationId: locations[at]!.id, qty: part });
      own[at]! -= part;
    };
    const one = whole === -1 ? own.findIndex((units) => units >= qty) : whole;
    if (one !== -1) {
      take(one, qty);
      continue;
    }
    let missing = qty;
    for (const [at, units] of own.entries()) {
      const part = Math.min(missing, units);
      if (part > 0) take(at, part);
      missing -= part;
    }
    if (missing > 0) throw new RangeError(`Product ${productId} lacks ${missing} units`);
  }
  return allocations;
}
