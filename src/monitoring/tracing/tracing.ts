import manifest from '../../../package.json' with { type: 'json' };
import { useTracer } from '../../lib/tracing/spans.ts';
import './measures.ts';
import type { TracingSettings } from '../../tracing-settings.ts';

/** Tracing of this process. */
export interface Tracing {
  /** Exports what waits, for `ms` at most, and switches tracing off. */
  close(ms: number): Promise<void>;
}

/** Without settings nothing of OpenTelemetry is loaded. */
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

/** The published package leaves them to those who trace: 20 MB. */
function explainMissing(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const packages = Object.entries(manifest.peerDependencies).map(([name, version]) => `${name}@${version}`);
  throw new Error(`Traces need packages that are not installed: npm install ${packages.join(' ')}`, { cause: error });
}
