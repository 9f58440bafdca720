import { openSync, readSync } from 'node:fs';

/**
 * Loaded by programs before their own code (`node --import`): the clock of their machine is put forward by what a file says, which its address names and
 * a test changes while they run. All of them see it at the same moment.
 */
const file = openSync(new URL(import.meta.url).searchParams.get('file')!, 'r');
const bytes = new Float64Array(1);
const unmoved = Date.now;

function now(): number {
  readSync(file, bytes, 0, bytes.byteLength, 0);
  return unmoved() + bytes[0]!;
}

Date.now = now;
globalThis.Date = new Proxy(Date, {
  apply: (target) => new target(now()).toString(),
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
});
