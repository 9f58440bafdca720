import type { Logger } from 'pino';
import type { NetworkLimiter } from '../../access/attempts/limiter.ts';
import type { Authenticator, Holder, KeyFinder } from '../../access/authenticator.ts';
import type { MasterKey } from '../../access/master-key.ts';
import type { AdminSessions } from '../../access/sessions.ts';
import type { StoreHolder } from '../../access/store-holder.ts';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/pool.ts';
import type { AppError } from '../../errors.ts';
import type { Span } from '../../lib/tracing/spans.ts';
import type { TrackingHosts } from '../door.ts';
import type { RequestLimits } from '../limits.ts';
import type { Endpoint } from './endpoint.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What is stored about a request for the company's developers. */
export interface RequestRecord {
  companyId: number;
  at: Date;
  keyId: number | null;
  api: 'commerce' | 'marketing' | 'store' | 'admin';
  method: string;
  path: string;
  status: number;
  durationMs: number;
  requestId: string;
  error: string | null;
  fields: string | null;
}

/** What the HTTP server needs from the program around it. */
export interface HttpPort {
  config: Readonly<Config>;
  clock: Clock;
  messaging: { trackingHosts: TrackingHosts };
  log: Logger;
  /** For responses stored for an Idempotency-Key. */
  db: Db;
  /** Encrypts stored responses that contain a secret, and keys the hashes of requests. */
  masterKey: Pick<MasterKey, 'seal' | 'open' | 'tokenKey'>;
  authenticator: Authenticator;
  storeKeyFinder: KeyFinder<StoreHolder>;
  sessions: AdminSessions;
  rateLimiter: Pick<RateLimiter, 'take'>;
  networkLimiter: NetworkLimiter;
  /** Of its own, so that the many visitors of shops do not take the room in which failed sign-ins are counted. */
  visitorLimiter: NetworkLimiter;
  /** For the developers of each company. */
  requestLog: {
    /** Whether to record the request; if not, it is counted as left out. */
    takes(companyId: number, isFailure: boolean): boolean;
    record(request: RequestRecord): void;
  };
}

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
