import type { Holder } from '../../access/authenticator.ts';
import type { AppError } from '../../errors.ts';
import type { Span } from '../../lib/tracing/spans.ts';
import type { BodyBudget } from '../bodies/body-budget.ts';
import type { CheckedBody } from '../bodies/body-check.ts';
import type { BodyChecks } from '../bodies/body-checks.ts';
import type { LargeBodies } from '../bodies/large-bodies.ts';
import type { UnreadBodies } from '../bodies/unread-bodies.ts';
import type { UnreadResponses } from '../streaming/unread-responses.ts';
import type { Endpoint } from './endpoint.ts';
import type { RefusalPace } from './refusal-pace.ts';

/** State of the pipeline on the server and on each request. */
declare module 'fastify' {
  interface FastifyInstance {
    /** Limits the memory of the bodies of all requests in progress. */
    bodies: BodyBudget;
    /** Queues large bodies for parsing. */
    largeBodies: LargeBodies;
    /** Checks large bodies in a thread. */
    bodyChecks: BodyChecks;
    /** Bodies of requests refused before they were read. */
    unreadBodies: UnreadBodies;
    /** Limits the memory of responses that clients are slow to read. */
    unreadResponses: UnreadResponses;
    refusalPace: RefusalPace;
    /** Delays refusals of large bodies that a thread rejected. */
    bodyRefusals: RefusalPace;
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
    /** Call when a large body is no longer in transit. */
    bodyArrived: (() => void) | null;
    /** The result of a thread that checked a large body. */
    checkedBody: CheckedBody | null;
    /** A list is sent as a file: its duration also depends on the client. */
    isExport: boolean;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}
