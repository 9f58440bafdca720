import manifest from '../../../package.json' with { type: 'json' };
import { useTracer } from '../../lib/tracing/spans.ts';
import './measures.ts';
import type { TracingSettings } from '../../tracing-settings.ts';

/** Tracing of this process. */
export interface Tracing {
  /** Exports queued spans, for at most `ms`, and switches tracing off. */
  close(ms: number): Promise<void>;
}

/** Without settings, no part of OpenTelemetry is loaded. */
export async function startTracing(settings: TracingSettings | null, role: string): Promise<Tracing> {
  if (settings === null) return { close: () => Promise.resolve() };
  const { createOtelTracing } = await import('./otel.ts').catch(explainMissing);
  const { tracer, shutdown } = createOtelTracing(settings, manifest.version, role);
  useTracer(tracer);
  return {
    async close(ms) {
      useTracer(null);
      await shutdown(ms);
    },
  };
}

/** The published package does not include these packages, which take 20 MB: those who trace install them. */
function explainMissing(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const packages = Object.entries(manifest.peerDependencies).map(([name, version]) => `${name}@${version}`);
  throw new Error(`Traces need packages that are not installed: npm install ${packages.join(' ')}`, { cause: error });
}
