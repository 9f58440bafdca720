import type { LookupFunction } from 'node:net';

/** What accounts at the services with HTTP APIs have in common. */
export interface ApiOptions {
  /** Who it is, and whose account; see `Transport`. */
  provider: string;
  /** Where the API is, without a slash at the end. */
  base: string;
  /** Messages per second of all processes; null: as fast as it goes. */
  rate: number | null;
  /** Requests at the same time. */
  concurrency: number;
  /** Milliseconds to connect, and to wait for the response. */
  timeouts?: Partial<{ connect: number; response: number }> | undefined;
  lookup?: LookupFunction | undefined;
}

/** Under which name our Message-ID goes along with a message, where the service may give it another one. */
export const MESSAGE_ID_FIELD = 'tradeloom_message';
