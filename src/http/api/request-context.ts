import type { Holder } from '../../access/authenticator.ts';
import type { BodyBudget } from '../bodies/body-budget.ts';
import type { LargeBodies } from '../bodies/large-bodies.ts';
import type { Endpoint } from './endpoint.ts';

/** What the pipeline keeps on the server and on each request. */
declare module 'fastify' {
  interface FastifyInstance {
    /** Limits the memory of the bodies of all requests in progress. */
    bodies: BodyBudget;
    /** The order in which large bodies are parsed. */
    largeBodies: LargeBodies;
  }
  interface FastifyRequest {
    requestId: string;
    holder: Holder | null;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}
