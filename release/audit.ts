import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withShippedLock } from './shipped.ts';

/** Result of one check of the packages. Only `verified` is a success. */
export interface Verdict {
  result: 'verified' | 'failed' | 'unreachable';
  text: string;
}

/** How an npm command ended; `status` is null where it was ended for taking too long. */
export interface Ended {
  status: number | null;
  output: string;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TIME_LIMIT_MS = 5 * 60_000;
const UNREACHABLE =
  /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|E40[134]|E5\d\d|ERR_SOCKET_TIMEOUT|audit endpoint returned an error)\b/;

/** Evaluates `npm audit signatures`: whether every installed package is signed by its registry. */
export function signatures({ status, output }: Ended): Verdict {
  const [, verified] = /(\d+) packages? ha(?:s|ve) (?:a )?verified registry signatures?/.exec(output) ?? [];
  if (status === 0 && Number(verified) > 0)
    return { result: 'verified', text: `${verified} packages are signed by their registry` };
  return unverified('Registry signatures', { status, output });
}

/** Evaluates `npm audit`: known vulnerabilities in what a release contains. */
export function vulnerabilities({ status, output }: Ended): Verdict {
  if (status === 0 && /found 0 vulnerabilities/.test(output))
    return { result: 'verified', text: 'no known vulnerability' };
  return unverified('Known vulnerabilities', { status, output });
}

function unverified(what: string, { status, output }: Ended): Verdict {
  if (status === null || UNREACHABLE.test(output)) {
    return {
      result: 'unreachable',
      text: `${what}: NOT CHECKED, the registry was not reached or has no such data\n${output.trim()}`,
    };
  }
  return { result: 'failed', text: `${what}: FAILED\n${output.trim()}` };
}

/** Runs npm with these arguments, in the repository unless told otherwise. */
export function npm(words: string[], options: string[] = [], { timeout = TIME_LIMIT_MS, cwd = ROOT } = {}): Ended {
  const { status, stdout, stderr } = spawnSync('npm', [...words, ...options], { cwd, encoding: 'utf8', timeout });
  return { status, output: `${stdout}${stderr}` };
}

/** Runs both checks and prints a line for each; returns 0 if both are verified, 1 if one failed, 2 if one could not be made. */
export function audit(options: string[], say: (line: string) => void): 0 | 1 | 2 {
  const verdicts = [
    signatures(npm(['audit', 'signatures'], options)),
    vulnerabilities(withShippedLock((cwd) => npm(['audit', '--package-lock-only'], options, { cwd }))),
  ];
  for (const { text } of verdicts) say(text);
  if (verdicts.some(({ result }) => result === 'failed')) return 1;
  return verdicts.every(({ result }) => result === 'verified') ? 0 : 2;
}

if (import.meta.main) process.exitCode = audit(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
