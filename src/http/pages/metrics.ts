import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import { BATCH_CHANNEL, type BatchMessage } from '../../db/batching/batcher.ts';
import type { Db } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { measures } from '../../lib/measures.ts';
import { gaugeLanes } from './lane-gauges.ts';
import { mayRead } from './may-read.ts';
import { listenForMetrics } from './metrics-listener.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Durations of the route's responses, by status. */
    durations?: Map<number, Durations>;
  }
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MEMBERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

interface MetricsNeeds {
  config: Readonly<Config>;
  db: Pick<Db, 'figures'>;
  /** Returns gauges about the installation from the database; empty for a process without workers. */
  databaseGauges: () => Promise<string>;
}

/** Serves the process's metrics at /metrics: to this machine, or to anyone with the metrics token. */
export function metricsPage(server: FastifyInstance, { config, db, databaseGauges }: MetricsNeeds): void {
  const registry = new Registry();
  // The default of 10 ms wakes an idle program a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  // Outsiders do not need to know which versions run.
  registry.removeSingleMetric('nodejs_version_info');
  const requests = countRequests(server);
  countBatches(server, registry);
  gaugeLanes(registry, db);
  const text = async (): Promise<string> =>
    [...(await Promise.all([registry.metrics(), measures.metrics(), databaseGauges()])), requests()].join('\n');
  server.get('/metrics', async (request, reply) => {
    if (!mayRead(request, config.metricsToken)) throw new AppError('not_found', 'Not found');
    return reply
      .header('Cache-Control', 'no-store')
      .type(registry.contentType)
      .send(await text());
  });
  if (config.metricsPort !== null) {
    const mayAsk = (request: IncomingMessage): boolean =>
      mayRead({ headers: request.headers, socket: request.socket }, config.metricsToken);
    listenForMetrics(server, config, { contentType: registry.contentType, text, mayAsk });
  }
}

/** Durations of one route's responses with one status. Plain counters, because prom-client's cost a microsecond per request. */
class Durations {
  readonly labels: string;
  private readonly upTo = new Array<number>(SECONDS.length).fill(0);
  private count = 0;
  private sum = 0;

  constructor(labels: string) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    this.count++;
    this.sum += seconds;
    let i = SECONDS.length;
    while (i > 0 && seconds <= SECONDS[i - 1]!) i--;
    if (i < SECONDS.length) this.upTo[i]!++;
  }

  lines(name: string): string[] {
    let below = 0;
    const buckets = this.upTo.map((n, i) => {
      below += n;
      return `${name}_bucket{${this.labels},le="${SECONDS[i]}"} ${below}`;
    });
    return [
      ...buckets,
      `${name}_bucket{${this.labels},le="+Inf"} ${this.count}`,
      `${name}_sum{${this.labels}} ${this.sum}`,
      `${name}_count{${this.labels}} ${this.count}`,
    ];
  }
}

/** Measures every response; returns a function that returns the measurements as text. */
function countRequests(server: FastifyInstance): () => string {
  const name = 'tradeloom_http_request_duration_seconds';
  const all: Durations[] = [];
  server.addHook('onResponse', (request, reply, done) => {
    const { config, method, url } = request.routeOptions;
    // How long a page was open or a file was being sent says nothing about the server.
    if (config.endpoint?.contentType === 'text/event-stream' || request.isExport) return done();
    config.durations ??= new Map();
    let durations = config.durations.get(reply.statusCode);
    if (durations === undefined) {
      // All unknown paths count as one route, because clients could invent any number of them.
      const route = url === undefined ? 'method="",route="none"' : `method="${method}",route="${url}"`;
      durations = new Durations(`${route},status="${reply.statusCode}"`);
      config.durations.set(reply.statusCode, durations);
      all.push(durations);
    }
    durations.observe(reply.elapsedTime / 1000);
    done();
  });
  return () =>
    [
      `# HELP ${name} From the first byte of a request to the last of its response, by route and status`,
      `# TYPE ${name} histogram`,
      ...all.flatMap((durations) => durations.lines(name)),
      '',
    ].join('\n');
}

function countBatches(server: FastifyInstance, registry: Registry): void {
  const sizes = new Histogram({
    name: 'tradeloom_batch_size',
    help: 'Requests that one transaction served, by what they ask for',
    labelNames: ['batch'],
    buckets: MEMBERS,
    registers: [registry],
  });
  const count = (message: unknown): void => {
    const { name, size } = message as BatchMessage;
    sizes.observe({ batch: name }, size);
  };
  subscribe(BATCH_CHANNEL, count);
  server.addHook('onClose', async () => {
    unsubscribe(BATCH_CHANNEL, count);
  });
}
