/** Ids without gaps. */
export interface IdRange {
  first: number;
  count: number;
}

/** One company that is filled; its people and products are there. */
export interface FilledShop {
  companyId: number;
  /** What everything else is a function of, beside the span. */
  seed: string;
  products: IdRange;
  /** The first contacts are those of the customers, in their order. */
  customers: IdRange;
  contacts: IdRange;
  flowId: number;
  endpointId: number;
}

/** What happens in a span of time. */
export interface Span {
  from: Date;
  /** Exclusive. */
  to: Date;
  orders: number;
  events: number;
  messages: number;
}

/** The moment of the k-th of so many things that are spread evenly over the span, in milliseconds. */
export function momentOf({ from, to }: Span, k: number, count: number): number {
  const start = from.getTime();
  return start + Math.floor(((k + 0.5) * (to.getTime() - start)) / count);
}

/** As COPY reads it. */
export function stamp(ms: number): string {
  return new Date(ms).toISOString();
}

export const NULL = '\\N';
