import { randomUUID } from 'node:crypto';
import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Attributes, SpanKind as Kind, Span, SpanOptions, Tracer } from '../../lib/tracing/spans.ts';
import type { SamplerName, TracingSettings } from '../../tracing-settings.ts';
import { SpanQueue } from './span-queue.ts';
import { contextOf, traceparentFrom } from './trace-context.ts';

/** The parts of OpenTelemetry that the program uses. Only tracing.ts loads this module, and only if a collector is configured. */
export interface OtelTracing {
  tracer: Tracer;
  /** Exports queued spans, for at most `ms`, and ends. */
  shutdown(ms: number): Promise<void>;
}

const KINDS: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** See docs/design/monitoring.md. */
export function createOtelTracing(settings: TracingSettings, version: string, role: string): OtelTracing {
  const { endpoint, serviceName, sampler, samplerArg } = settings;
  const queue = new SpanQueue({ exporter: new OTLPTraceExporter({ url: endpoint }) });
  const own = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'tradeloom.role': role,
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(sampler, samplerArg),
    spanLimits: { attributeValueLengthLimit: 1_000, attributeCountLimit: 32, linkCountLimit: 64 },
    spanProcessors: [queue],
  });
  return {
    tracer: new OtelBackedTracer(provider.getTracer('tradeloom', version)),
    async shutdown(ms) {
      const late = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => late.resolve(false), ms);
      const flushed = await Promise.race([queue.forceFlush().then(() => true), late.promise]);
      clearTimeout(timer);
      const closed = provider.shutdown();
      // Closing waits for an export that is being retried. After a timed-out flush this is pointless, so that export ends with the process.
      if (flushed) await closed;
      else closed.catch(() => {});
    },
  };
}

function samplerOf(name: SamplerName, ratio: number): Sampler {
  const rootName = name.replace('parentbased_', '');
  const root =
    rootName === 'always_on'
      ? new AlwaysOnSampler()
      : rootName === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

class OtelBackedTracer implements Tracer {
  private readonly otel: OtelTracer;

  constructor(otel: OtelTracer) {
    this.otel = otel;
  }

  start(name: string, { kind = 'internal', parent, attributes }: SpanOptions): Span | null {
    const context = parent === undefined ? null : contextOf(parent);
    const parentContext: Context = context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
    const span = this.otel.startSpan(name, { kind: KINDS[kind], attributes }, parentContext);
    return span.isRecording() ? new RecordedSpan(span) : null;
  }
}

class RecordedSpan implements Span {
  private readonly otel: OtelSpan;
  ended = false;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  get traceId(): string {
    return this.otel.spanContext().traceId;
  }

  get spanId(): string {
    return this.otel.spanContext().spanId;
  }

  get traceparent(): string {
    return traceparentFrom(this.otel.spanContext());
  }

  set(attributes: Attributes): void {
    this.otel.setAttributes(attributes);
  }

  link({ traceparent }: Span): void {
    const context = contextOf(traceparent);
    if (context !== null) this.otel.addLink({ context });
  }

  fail(kind: string): void {
    this.otel.setAttribute('error.type', kind);
    this.otel.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.otel.end();
  }
}
