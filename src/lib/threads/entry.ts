import module from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';

/** What a thread of a pool is started with. */
export interface ThreadStart {
  /** The URL of a module that calls `serveJobs`. */
  file: string;
  /** The folder of the program's compile cache, if it has one. */
  compileCache: string | undefined;
}

/** The `nice` value: with all processors busy, a thread gets a third of the time that the main thread gets, which serves everybody. */
const PRIORITY = 5;

const { file, compileCache } = workerData as ThreadStart;

// Before the modules are loaded, which takes a fifth of a second of processor time after each job that killed its thread. Only on
// Linux does a priority apply to a thread and not to the whole process. A program with a lower one may not raise it.
if (process.platform === 'linux' && getPriority() < PRIORITY) setPriority(PRIORITY);
if (compileCache !== undefined) module.enableCompileCache(compileCache);
await import(file);
// A thread that is killed writes nothing at its end.
module.flushCompileCache();
