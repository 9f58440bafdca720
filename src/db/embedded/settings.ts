import { availableParallelism, totalmem } from 'node:os';

/** Only part of the socket file's name: the server listens on no network address. */
export const PORT = 5432;

/**
 * For a small machine, without risk to acknowledged data. They are passed on the server's command line, so they
 * override the data folder's own files.
 */
const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  max_connections: '60',
  // A client that died does not keep its locks.
  client_connection_check_interval: '1s',
  timezone: 'UTC',
  log_timezone: 'UTC',

  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_completion_target: '0.9',

  random_page_cost: '1.1',
  // Statements here are short: JIT compiling one costs more than it saves.
  jit: 'off',
  // No processes in addition to the backends; works in every container.
  io_method: 'sync',

  // Queues and stock are rewritten all the time: frequent small vacuums keep them small. Analyse runs less often: at
  // every twentieth row it took an eighth of two processors under heavy writes.
  autovacuum_naptime: '5s',
  autovacuum_vacuum_scale_factor: '0.05',

  // Without the statement and the details, a logged error contains no personal data.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

const MIB = 1024 ** 2;

/**
 * `shared_buffers` for a machine (or container) with this many bytes of memory: an eighth, from 128 MiB to 1 GiB,
 * because the program and the operating system's cache share the machine. A page outside it is copied from that cache:
 * counting a segment that looks at 170,000 contacts took 0.56 s with 256 MiB and 0.27 s with 1 GiB.
 */
export function sharedBuffers(memory: number): string {
  return `${Math.min(1024, Math.max(128, Math.floor(memory / 8 / MIB)))}MB`;
}

/** Bytes: the machine's, or what its container may use. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/**
 * The command line that starts a server, without the program's name.
 * @param extra settings by name, which override
 */
export function serverArguments(folder: string, socketFolder: string, extra: Record<string, string>): string[] {
  const computed = {
    shared_buffers: sharedBuffers(availableMemory()),
    // For all statements together: the process that runs the statement works as well, and one processor is left for the others.
    max_parallel_workers: String(Math.max(1, availableParallelism() - 1)),
  };
  const settings = { ...SETTINGS, ...computed, unix_socket_directories: socketFolder, ...extra };
  return ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
