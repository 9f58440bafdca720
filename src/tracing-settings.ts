import { oneOf, urlOf } from './setting-values.ts';

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** Where traces are sent, and which: OpenTelemetry's settings for all programs. */
export interface TracingSettings {
  /** Where spans are posted. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, else OTEL_EXPORTER_OTLP_ENDPOINT and /v1/traces. */
  endpoint: string;
  /** Which requests are traced when the sender does not decide it. OTEL_TRACES_SAMPLER; parentbased_always_on. */
  sampler: SamplerName;
  /** The share of requests that a `traceidratio` sampler takes. OTEL_TRACES_SAMPLER_ARG, 0 to 1; 1. */
  samplerArg: number;
  /** OTEL_SERVICE_NAME; tradeloom. */
  serviceName: string;
}

/** Returns null without an endpoint, or with OTEL_SDK_DISABLED=true or OTEL_TRACES_EXPORTER=none. */
export function tracingOf(text: (name: string) => string | null): TracingSettings | null {
  const base = urlOf('OTEL_EXPORTER_OTLP_ENDPOINT', text('OTEL_EXPORTER_OTLP_ENDPOINT'), ['http:', 'https:']);
  const own = urlOf('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'), [
    'http:',
    'https:',
  ]);
  const endpoint = own ?? (base === null ? null : `${base.replace(/\/+$/, '')}/v1/traces`);
  const isOff = text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || text('OTEL_TRACES_EXPORTER') === 'none';
  if (endpoint === null || isOff) return null;
  const protocol = text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol?.startsWith('grpc'))
    throw new Error('OTEL_EXPORTER_OTLP_PROTOCOL is grpc; traces are sent by http/json');
  return {
    endpoint,
    sampler: oneOf('OTEL_TRACES_SAMPLER', text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on', SAMPLERS),
    samplerArg: ratioOf(text('OTEL_TRACES_SAMPLER_ARG') ?? '1'),
    serviceName: text('OTEL_SERVICE_NAME') ?? 'tradeloom',
  };
}

function ratioOf(value: string): number {
  const ratio = Number(value);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error(`OTEL_TRACES_SAMPLER_ARG is ${value}; it takes 0 to 1`);
  return ratio;
}
