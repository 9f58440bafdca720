import type { Logger } from 'pino';
import type { FailedAttempts } from '../../access/attempts/limiter.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { MasterKey } from '../../access/master-key.ts';
import type { AdminSessions } from '../../access/sessions.ts';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/pool.ts';
import type { StreamSlots } from '../streaming/slots.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What serving needs of the program around it, whatever is served. */
export interface HttpPort {
  config: Readonly<Config>;
  clock: Clock;
  log: Logger;
  /** For the responses that are kept for an Idempotency-Key. */
  db: Db;
  /** Encrypts kept responses that show a secret, and keys the hashes of requests. */
  masterKey: Pick<MasterKey, 'seal' | 'open' | 'tokenKey'>;
  authenticator: Authenticator;
  sessions: AdminSessions;
  rateLimiter: Pick<RateLimiter, 'take'>;
  failedAttempts: FailedAttempts;
  streams: StreamSlots;
}
