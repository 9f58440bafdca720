import { counter } from '../../lib/measures.ts';

/** For processes that trace; all 0 without OTEL_EXPORTER_OTLP_ENDPOINT. */
export const spansEnded = counter('tradeloom_trace_spans_total', 'Spans of traces, by what became of them', {
  outcome: ['exported', 'failed', 'dropped'],
});
