import { type Span, within } from '../../lib/tracing/spans.ts';

/** Requests that a batch links to, in addition to the one whose trace contains its transaction. */
const MOST_LINKS = 32;

/**
 * Runs a batch within the trace of the first member that is traced, linked to the others: one transaction cannot be
 * part of several traces. Without a traced member it belongs to no trace, since whichever request came last started it.
 */
export function runTraced(members: readonly { span: Span | null }[], work: () => Promise<void>): Promise<void> {
  const spans = members.flatMap(({ span }) => (span === null ? [] : [span]));
  const [first, ...others] = spans;
  for (const span of spans) span.set({ 'tradeloom.batch.size': members.length });
  for (const other of others.slice(0, MOST_LINKS)) {
    first!.link(other);
    other.link(first!);
  }
  return within(first ?? null, work);
}
