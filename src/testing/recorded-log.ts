import type { DestinationStream } from 'pino';
import { afterAll, beforeEach } from 'vitest';

/**
 * Records the log lines of each test, and prints them to standard error when the test, or a hook of the file, fails: the
 * output of a passing suite shows no expected errors. Call it at the top of a test file.
 */
export function recordedLog(): DestinationStream {
  let lines: string[] = [];
  let began = false;
  const print = (): void => {
    process.stderr.write(lines.join(''));
    lines = [];
  };
  beforeEach(({ onTestFailed }) => {
    began = true;
    lines = [];
    onTestFailed(print);
  });
  // No test began: a hook of the file failed.
  afterAll(() => {
    if (!began) print();
  });
  return {
    write(line) {
      lines.push(line);
    },
  };
}
