import type { FastifyInstance } from 'fastify';
import { monotonicMs } from '../clock.ts';

/** Milliseconds since it was made. */
export function stopwatch(): () => number {
  const began = monotonicMs();
  return () => Math.round(monotonicMs() - began);
}

/** Connections whose request is in flight. */
export function connectionsInUse(server: FastifyInstance): Promise<number> {
  server.server.closeIdleConnections();
  return new Promise((resolve) => {
    server.server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}

/** Finishes the requests in flight; what takes longer than 10 s is cut off. */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), 10_000);
  // A connection whose request was in flight is kept alive after its response.
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
  await server.close();
  clearInterval(sweep);
  clearTimeout(cut);
}
