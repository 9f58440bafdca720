import type { Holder } from '../../access/authenticator.ts';
import type { AppError } from '../../errors.ts';
import type { Span } from '../../lib/tracing/spans.ts';
import type { RequestLimits } from '../limits.ts';
import type { Endpoint } from './endpoint.ts';

/** State of the pipeline on the server and on each request. */
declare module 'fastify' {
  interface FastifyInstance {
    limits: RequestLimits;
  }
  interface FastifyRequest {
    requestId: string;
    holder: Holder | null;
    /** The holder of the request, set even if it is refused afterwards. */
    counted: Holder | null;
    /** Why the request is refused. */
    failure: AppError | null;
    /** Set if the request is traced. */
    span: Span | null;
    /** A list is sent as a file: its duration also depends on the client. */
    isExport: boolean;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}
