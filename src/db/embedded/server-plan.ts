import type { Account } from './account.ts';
import { PORT } from './settings.ts';

/** Name of the database, and of the user who owns the cluster. */
export const DATABASE = 'tradeloom';

/** Where `pg` finds the server: `host` is the folder of its socket. */
export interface Connection extends Readonly<typeof ON_ITS_SOCKET> {
  host: string;
  port: number;
  user: string;
  database: string;
}

/** What `pg` would take from PGSSLMODE, PGSSLNEGOTIATION and PGOPTIONS, which are about other servers. It ignores empty options. */
const ON_ITS_SOCKET = { ssl: false, sslnegotiation: 'postgres', options: ' ' } as const;

/** Everything about a server that is settled before it runs. */
export interface ServerPlan {
  dataDir: string;
  /** The cluster, `<dataDir>/postgres`. */
  folder: string;
  logFile: string;
  account: Account;
  program: string;
  args: string[];
  connection: Connection;
  /** How long it may take to respond: 60 s if absent. */
  startTimeoutMs?: number;
  /** Ends the wait for a response. */
  signal?: AbortSignal;
}

/** The server whose socket is in this folder. */
export function connectionAt(host: string): Connection {
  return { host, port: PORT, user: DATABASE, database: DATABASE, ...ON_ITS_SOCKET };
}

/** A server process that this program started. */
export interface Launch {
  /** How it ended, once it did. */
  ended?: string;
  /** Where this start's part of the log file begins, in bytes. */
  logStart: number;
}
