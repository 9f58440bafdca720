import { startCorrelated } from '../../lib/tracing/item-spans.ts';
import { isTracing, type Span, type SpanKind } from '../../lib/tracing/spans.ts';
import type { ClaimedMessage } from '../ledger/message.ts';

/** Spans of messages processed together, each in the trace of the request that caused the message. */
export class MessageSpans {
  private readonly spans = new Map<number, Span>();

  private constructor(name: string, kind: SpanKind, messages: readonly ClaimedMessage[]) {
    for (const { companyId, id, channel, correlation, origin, attempts } of messages) {
      const span = startCorrelated(name, correlation, {
        kind,
        attributes: {
          'tradeloom.company.id': companyId,
          'tradeloom.message.id': id,
          'tradeloom.message.channel': channel,
          'tradeloom.message.attempt': attempts + 1,
          ...(origin.kind === 'flow' ? { 'tradeloom.flow.id': origin.flowId, 'tradeloom.run.id': origin.runId } : {}),
        },
      });
      if (span !== null) this.spans.set(id, span);
    }
  }

  /** Returns null without tracing. */
  static start(name: string, kind: SpanKind, messages: readonly ClaimedMessage[]): MessageSpans | null {
    return isTracing() ? new MessageSpans(name, kind, messages) : null;
  }

  end({ id }: ClaimedMessage, outcome: string): void {
    const span = this.spans.get(id);
    if (span === undefined) return;
    span.set({ 'tradeloom.outcome': outcome });
    if (outcome === 'failed' || outcome === 'unknown') span.fail(outcome);
    span.end();
    this.spans.delete(id);
  }

  /** Ends the spans without an outcome. */
  endRest(): void {
    for (const span of this.spans.values()) span.end();
    this.spans.clear();
  }
}
