import type { IdempotencyTicket } from '../db/idempotency.ts';

/** On whose behalf something is done, and at which moment: handed from the edge to every service that writes. */
export interface Caller {
  companyId: number;
  /** For histories and logs: `key:till`, `admin:7`, `worker:renewals`. */
  actor: string;
  requestId: string;
  /** The moment of the request: every row that it writes carries the same. */
  now: Date;
  idempotency: IdempotencyTicket | null;
}

/** The product itself acting on a company's behalf. */
export function workerCaller(companyId: number, name: string, now: Date): Caller {
  return { companyId, actor: `worker:${name}`, requestId: `worker-${name}`, now, idempotency: null };
}
