/** Ids without gaps. */
export interface IdRange {
  first: number;
  count: number;
}

/** A company to fill; its products exist already. */
export interface FilledShop {
  companyId: number;
  /** Determines all generated data, together with the span. */
  seed: string;
  /** When its people were created. */
  from: Date;
  products: IdRange;
  /** The first contacts are those of the customers, in their order. */
  customers: IdRange;
  contacts: IdRange;
  listId: number;
  flowId: number;
  endpointId: number;
}

/** How much happens in a span of time. */
export interface Span {
  from: Date;
  /** Exclusive. */
  to: Date;
  orders: number;
  events: number;
  messages: number;
}

/** How much happens in a span of time in one shop, with the first ids of each kind. */
export interface SpanOfShop {
  shop: FilledShop;
  span: Span;
  ids: {
    orders: number;
    lines: number;
    events: number;
    runs: number;
    messages: number;
    /** Each of at most as many messages as there are contacts. */
    campaigns: number;
  };
}

export const HOUR_MS = 3_600_000;

/** The time of the k-th of `count` events spread evenly over the span, in milliseconds. */
export function momentOf({ from, to }: Span, k: number, count: number): number {
  const start = from.getTime();
  return start + Math.floor(((k + 0.5) * (to.getTime() - start)) / count);
}
