import type { Tx } from './db/pool.ts';
import type { AppError } from './errors.ts';

/** On whose behalf something is done, and when: passed from the HTTP layer to every service that writes. */
export interface Caller {
  companyId: number;
  /** For histories and logs: `key:till`, `admin:7`, `worker:renewals`. */
  actor: string;
  requestId: string;
  /** The request's position in its trace, where it is traced. */
  traceparent?: string;
  /** Time of the request: every row that it writes has the same. */
  now: Date;
  /** Size of the request's body, if it came over HTTP: used to limit the memory of waiting requests. */
  bodyBytes?: number;
  idempotency: IdempotencyTicket | null;
  /** Of a writing request by a person; absent for keys and workers, whose writes do not pay for it. */
  audit?: AuditTrail;
}

export interface StoredResponse {
  status: number;
  /** The whole body as it was sent. */
  body: string;
}

/** A request's Idempotency-Key with the means to render its response inside the transaction that has the effect. */
export interface IdempotencyTicket {
  key: string;
  /** The id of the API key that sent it, or a stand-in for the signed webhook: each sender has keys of its own. */
  sentBy: number;
  /** Keyed SHA-256 over method, path and raw body. */
  requestHash: Buffer;
  render(result: unknown): StoredResponse;
  /** null where the response is never stored (401, 403, 429, 5xx). */
  renderError(error: AppError): StoredResponse | null;
  /** Set once the response is committed. */
  stored: boolean;
}

/** The audit log entry of a person's request, written in the transaction that has the effect. */
export interface AuditTrail {
  /** Runs `work`, which returns the result of the endpoint's handler, and adds the entry unless `work` has written one itself. */
  around<T>(tx: Tx, work: () => Promise<T>): Promise<T>;
  /** Set once the entry is committed. */
  recorded: boolean;
}

/** The product itself acting on behalf of a company. */
export function workerCaller(companyId: number, name: string, now: Date): Caller {
  return { companyId, actor: `worker:${name}`, requestId: `worker-${name}`, now, idempotency: null };
}
