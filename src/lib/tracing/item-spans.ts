import { type Correlation, continuedAt, traceparentOf } from './correlation.ts';
import { errorKind, isTracing, type Span, type SpanOptions, startSpan } from './spans.ts';

interface Correlated {
  correlation: Correlation | null;
}

/**
 * Runs work on a set of items with a span for each that is traced, in the trace of the request that caused it. `work`
 * passes the items that it takes through `begin` (again where its transaction is repeated) and gets them with
 * correlations from which the work that they cause continues. The spans end with the work.
 */
export async function tracingItems<Item extends Correlated, Out>(
  name: string,
  optionsOf: (item: Item) => SpanOptions,
  work: (begin: (items: Item[]) => Item[]) => Promise<Out>,
): Promise<Out> {
  if (!isTracing()) return work((items) => items);
  let spans: Span[] = [];
  const endAll = (failure?: string): void => {
    for (const span of spans) {
      if (failure !== undefined) span.fail(failure);
      span.end();
    }
  };
  const begin = (items: Item[]): Item[] => {
    endAll('repeated');
    spans = [];
    return items.map((item) => {
      const span = startCorrelated(name, item.correlation, optionsOf(item));
      if (span === null) return item;
      spans.push(span);
      return { ...item, correlation: continuedAt(item.correlation!, span.traceparent) };
    });
  };
  try {
    const out = await work(begin);
    endAll();
    return out;
  } catch (error) {
    endAll(errorKind(error));
    throw error;
  }
}

/** A span in the trace of the request that caused the work; null where it is not traced. */
export function startCorrelated(name: string, correlation: Correlation | null, options: SpanOptions): Span | null {
  const parent = traceparentOf(correlation);
  return parent === null ? null : startSpan(name, { ...options, parent });
}
