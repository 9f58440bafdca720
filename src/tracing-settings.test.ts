import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('the settings are those of OpenTelemetry, and none is no tracing', () => {
  const tracingBy = (env: Record<string, string>) => readConfig({}, env).tracing;
  expect(tracingBy({})).toBeNull();
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
  expect(tracingBy(base)).toEqual({
    endpoint: 'http://collector:4318/v1/traces',
    sampler: 'parentbased_always_on',
    samplerArg: 1,
    serviceName: 'tradeloom',
  });
  const own = { ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://tempo/otlp', OTEL_TRACES_SAMPLER_ARG: '0.01' };
  expect(tracingBy(own)).toMatchObject({ endpoint: 'https://tempo/otlp', samplerArg: 0.01 });
  expect(tracingBy({ ...base, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  expect(tracingBy({ ...base, OTEL_TRACES_EXPORTER: 'none' })).toBeNull();
  expect(() => tracingBy({ ...base, OTEL_TRACES_SAMPLER: 'some' })).toThrow('it takes always_on');
  expect(() => tracingBy({ ...base, OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow('it takes 0 to 1');
  expect(() => tracingBy({ ...base, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow('http/json');
});
