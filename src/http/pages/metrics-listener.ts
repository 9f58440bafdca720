import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import { createHostCheck, DOOR_HEADERS } from '../door.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The address of the metrics listener; absent without TRADELOOM_METRICS_PORT. */
    metricsAddress?(): AddressInfo | null;
  }
}

interface MetricsSource {
  contentType: string;
  text(): Promise<string>;
  mayAsk(request: IncomingMessage): boolean;
}

/**
 * Starts a separate listener for the metrics, so that a firewall can distinguish them from the APIs: on this machine only or, with a token,
 * on the server's address. Opened before the server listens, closed with it.
 */
export function listenForMetrics(server: FastifyInstance, config: Readonly<Config>, source: MetricsSource): void {
  const isOurs = createHostCheck(config);
  const listener = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, maxHeaderSize: 8_192 },
    (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0];
      // A page that points its own name here has no token: with one, names of the local network are accepted as well.
      const named = config.metricsToken !== null || isOurs(request.headers.host ?? 'localhost');
      const allowed = request.method === 'GET' && path === '/metrics' && named;
      if (!allowed || !source.mayAsk(request)) {
        response.writeHead(404, DOOR_HEADERS).end();
        return;
      }
      source.text().then(
        (text) => {
          const headers = { ...DOOR_HEADERS, 'Cache-Control': 'no-store', 'Content-Type': source.contentType };
          response.writeHead(200, headers).end(text);
        },
        () => response.writeHead(500, DOOR_HEADERS).end(),
      );
    },
  );
  listener.maxConnections = 50;
  server.addHook('onReady', async () => {
    const host = config.metricsToken === null ? '127.0.0.1' : config.host;
    listener.listen({ host, port: config.metricsPort! });
    try {
      await once(listener, 'listening');
    } catch (cause) {
      const reason = (cause as Error).message;
      throw new Error(`TRADELOOM_METRICS_PORT ${config.metricsPort} cannot be listened on (${reason})`, { cause });
    }
  });
  server.decorate('metricsAddress', () => listener.address() as AddressInfo | null);
  server.addHook('onClose', async () => {
    listener.closeAllConnections();
    listener.close();
  });
}
