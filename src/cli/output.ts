import type { Command } from 'commander';
import { AppError } from '../errors.ts';

/** The command was called incorrectly (exit 2); any other error means that it failed (exit 1). */
export class UsageError extends Error {}

/** Prints the result of a command: a JSON line for programs, or text for people. */
export function printResult(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** Prints on stderr, in one plain sentence, why a command ended. Returns its exit code. */
export function explain(error: unknown): 1 | 2 {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${/[.?!]$/.test(sentence) ? sentence : `${sentence}.`}\n`);
  const wrongCall = error instanceof UsageError || (error instanceof AppError && error.code === 'validation_failed');
  return wrongCall ? 2 : 1;
}

/** Adds an example to a command's --help. */
export function withExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ ${example}`);
}

/** Formats rows as aligned columns with a heading, for terminals. */
export function table(headings: string[], rows: (string | number)[][]): string {
  const cells = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
