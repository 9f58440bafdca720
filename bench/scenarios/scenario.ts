import type { Need, Target } from '../server/target.ts';

/** What is measured, and beside it what it is measured by. */
export interface Scenario {
  name: string;
  title: string;
  /** Once, before everything else: what the requests need beside the shops. */
  prepare?(target: Target): Promise<void>;
  /** Makes the requests: the n-th whole HTTP/1.1 request of one process. */
  requests(target: Target): (n: number) => string;
  /** Status of every response. */
  status: number;
  needs?: Need;
  /** How many of the thing that is counted one request has; 1 where absent. */
  perRequest?: number;
  /** At work at once, ours and the limit's; CONNECTIONS where absent. One measures how long a response takes. */
  connections?: number;
  limit: {
    title: string;
    /** A pgbench script: one transaction. */
    script(target: Target): string;
    /** As `perRequest`, of one transaction. */
    perTransaction?: number;
  };
  /** What is to be reached: our rate by the limit's, or the milliseconds in which 99 of 100 requests get their response. */
  goal: number | { p99Ms: number };
}
