import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';
export type Attributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  /** `internal` where absent. */
  kind?: SpanKind;
  /** A `traceparent`; where absent, the span that runs now. */
  parent?: string;
  attributes?: Attributes;
}

/** A step of a trace that is recorded. Its attributes hold ids, names and numbers, nothing about people. */
export interface Span {
  /** Its position, as the `traceparent` of what it causes. */
  readonly traceparent: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly ended: boolean;
  set(attributes: Attributes): void;
  /** What else it works for. */
  link(other: Span): void;
  /** The kind of the error, without its message: that may quote what people typed. */
  fail(kind: string): void;
  end(): void;
}

/** Makes spans; null for those that are not sampled. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span | null;
}

let tracer: Tracer | null = null;
const running = new AsyncLocalStorage<Span | null>();

/** Switches tracing on, or with null off: then nothing below makes an object or asks for a context. */
export function useTracer(used: Tracer | null): void {
  tracer = used;
}

export function isTracing(): boolean {
  return tracer !== null;
}

/** The span that runs now, unless it has ended: what a request leaves to a timer is no part of it. */
export function runningSpan(): Span | null {
  if (tracer === null) return null;
  const span = running.getStore() ?? null;
  return span === null || span.ended ? null : span;
}

/** A span without a parent, or with the parent that a sender named. Null where it is not sampled. */
export function startRoot(name: string, options: SpanOptions): Span | null {
  return tracer === null ? null : tracer.start(name, options);
}

/** A span of the trace that `parent` or the running span belongs to. Null where there is neither. */
export function startSpan(name: string, options: SpanOptions = {}): Span | null {
  if (tracer === null) return null;
  const parent = options.parent ?? runningSpan()?.traceparent;
  return parent === undefined ? null : tracer.start(name, { ...options, parent });
}

/** Runs `work` as part of the span; with null as part of none, whoever has called. */
export function within<T>(span: Span | null, work: () => T): T {
  return tracer === null ? work() : running.run(span, work);
}

/** Runs `work` in a span of its own, where there is a trace to belong to. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = startSpan(name, options);
  return span === null ? work() : runIn(span, work);
}

/** Runs work that no request caused in a trace of its own, where that is sampled. */
export async function inRootSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = startRoot(name, options);
  return span === null ? work() : runIn(span, work);
}

async function runIn<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await running.run(span, work);
  } catch (error) {
    span.fail(errorKind(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The code of an error (of this program, Node or PostgreSQL), else its class. */
export function errorKind(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error';
}
