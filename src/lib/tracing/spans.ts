import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';
export type Attributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  /** `internal` if absent. */
  kind?: SpanKind;
  /** A `traceparent`; the running span if absent. */
  parent?: string;
  attributes?: Attributes;
}

/** A recorded step of a trace. Its attributes hold ids, names and numbers, but no personal data. */
export interface Span {
  /** Its position, as the `traceparent` of the work that it causes. */
  readonly traceparent: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly ended: boolean;
  set(attributes: Attributes): void;
  /** Links to another span that it also works for. */
  link(other: Span): void;
  /** Records the kind of the error, without its message: that may quote what people typed. */
  fail(kind: string): void;
  end(): void;
}

/** Creates spans; null for those that are not sampled. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span | null;
}

let tracer: Tracer | null = null;
const running = new AsyncLocalStorage<Span | null>();

/** Switches tracing on, or off with null: then nothing below creates objects or reads a context. */
export function useTracer(used: Tracer | null): void {
  tracer = used;
}

export function isTracing(): boolean {
  return tracer !== null;
}

/** Returns the running span, unless it has ended: what a request leaves to a timer is not part of it. */
export function runningSpan(): Span | null {
  if (tracer === null) return null;
  const span = running.getStore() ?? null;
  return span === null || span.ended ? null : span;
}

/** A span without a parent, or with the parent that a sender named. Null where it is not sampled. */
export function startRoot(name: string, options: SpanOptions): Span | null {
  return tracer === null ? null : tracer.start(name, options);
}

/** Starts a span in the trace of `parent` or of the running span. Null where there is neither. */
export function startSpan(name: string, options: SpanOptions = {}): Span | null {
  if (tracer === null) return null;
  const parent = options.parent ?? runningSpan()?.traceparent;
  return parent === undefined ? null : tracer.start(name, { ...options, parent });
}

/** Runs `work` as part of the span; with null, as part of none, even if the caller has one. */
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
