import type { LookupFunction } from 'node:net';

/** Options common to accounts at services with HTTP APIs. */
export interface ApiOptions {
  /** The service and the account there; see `Transport`. */
  provider: string;
  /** Base URL of the API, without a trailing slash. */
  base: string;
  /** Messages per second across all processes; null: unlimited. */
  rate: number | null;
  /** Concurrent requests. */
  concurrency: number;
  /** Timeouts in milliseconds: to connect, and to wait for the response. */
  timeouts?: Partial<{ connect: number; response: number }> | undefined;
  lookup?: LookupFunction | undefined;
}

/** The field that carries our Message-ID with a message, because the service may assign another one. */
export const MESSAGE_ID_FIELD = 'tradeloom_message';
