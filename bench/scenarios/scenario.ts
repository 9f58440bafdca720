import type { Need, Target } from '../server/target.ts';

/** What is measured, and what it is compared to. */
export interface Scenario {
  name: string;
  title: string;
  /** Runs once, before everything else: creates what the requests need in addition to the shops. */
  prepare?(target: Target): Promise<void>;
  /** Generates the requests: the n-th complete HTTP/1.1 request of one process. */
  requests(target: Target): (n: number) => string;
  /** Status of every response. */
  status: number;
  needs?: Need;
  /** How many counted items one request has; 1 if absent. */
  perRequest?: number;
  /** Concurrent connections, ours and the limit's; CONNECTIONS if absent. One measures the latency of a response. */
  connections?: number;
  limit: {
    title: string;
    /** A pgbench script: one transaction. */
    script(target: Target): string;
    /** As `perRequest`, for one transaction. */
    perTransaction?: number;
  };
  /** The goal: the ratio of our rate to the limit's, or the 99th percentile of latency in milliseconds. */
  goal: number | { p99Ms: number };
}
