import type { FastifyInstance } from 'fastify';
import type { App } from '../app.ts';
import { sql } from '../db/sql.ts';

/** For load balancers: alive is the process; ready is the process with its database, until it is told to stop. */
export function healthPages(server: FastifyInstance, app: App): void {
  let stopping = false;
  server.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  server.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/health/ready', async (_request, reply) => {
    const ready = !stopping && (await reachable());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable' });
  });

  async function reachable(): Promise<boolean> {
    try {
      await app.db.query(sql`select 1`);
      return true;
    } catch (error) {
      app.log.warn({ err: error }, 'the database does not answer');
      return false;
    }
  }
}
