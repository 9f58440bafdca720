import type { FastifyInstance } from 'fastify';
import { monotonicMs } from '../clock.ts';

/** Returns a function that returns the milliseconds since its creation. */
export function stopwatch(): () => number {
  const began = monotonicMs();
  return () => Math.round(monotonicMs() - began);
}

/** Counts connections with a request in flight. */
export function connectionsInUse(server: FastifyInstance): Promise<number> {
  server.server.closeIdleConnections();
  return new Promise((resolve) => {
    server.server.getConnections((error, count) => resolve(error ? 0 : count));
  });
}

/** Finishes the requests in flight; those that take longer than 10 s are cut off. */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), 10_000);
  // A connection with a request in flight is kept alive after its response.
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
  await server.close();
  clearInterval(sweep);
  clearTimeout(cut);
}
