import type { Holder } from '../../access/authenticator.ts';
import type { AppError } from '../../errors.ts';
import type { Span } from '../../lib/tracing/spans.ts';
import type { BodyBudget } from '../bodies/body-budget.ts';
import type { CheckedBody } from '../bodies/body-check.ts';
import type { BodyChecks } from '../bodies/body-checks.ts';
import type { LargeBodies } from '../bodies/large-bodies.ts';
import type { UnreadBodies } from '../bodies/unread-bodies.ts';
import type { Endpoint } from './endpoint.ts';
import type { RefusalPace } from './refusal-pace.ts';

/** What the pipeline keeps on the server and on each request. */
declare module 'fastify' {
  interface FastifyInstance {
    /** Limits the memory of the bodies of all requests in progress. */
    bodies: BodyBudget;
    /** The order in which large bodies are parsed. */
    largeBodies: LargeBodies;
    /** Looks at large bodies in a thread. */
    bodyChecks: BodyChecks;
    /** Bodies of requests that were refused before they were read. */
    unreadBodies: UnreadBodies;
    refusalPace: RefusalPace;
    /** Of large bodies that a thread refused. */
    bodyRefusals: RefusalPace;
  }
  interface FastifyRequest {
    requestId: string;
    holder: Holder | null;
    /** Whose request it is, also where it is refused after that is known. */
    counted: Holder | null;
    /** Why it is refused. */
    failure: AppError | null;
    /** Where it is traced. */
    span: Span | null;
    /** Says that a large body is on its way no longer. */
    bodyArrived: (() => void) | null;
    /** What a thread says of a large body that it was asked about. */
    checkedBody: CheckedBody | null;
    /** A list is sent as a file: how long that takes is also the client's affair. */
    isExport: boolean;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}
