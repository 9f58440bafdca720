import type { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseDuration } from '../duration.ts';
import { programCommand, run } from './program.ts';

function pathsOf(command: Command, path: string[]): string[][] {
  return command.commands.flatMap((inner) => [[...path, inner.name()], ...pathsOf(inner, [...path, inner.name()])]);
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

afterEach(() => {
  vi.restoreAllMocks();
});

const PATHS = pathsOf(await programCommand(), []);

describe('--help', () => {
  test.each(PATHS.map((path) => [path.join(' ')]))('of %s shows an example', async (path) => {
    let shown = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      shown += text;
      return true;
    });
    expect(await run([...path.split(' '), '--help'])).toBe(0);
    expect(shown).toContain(`Usage: tradeloom ${path}`);
    expect(shown).toMatch(/\nExample:\n {2}\$ tradeloom /);
  });

  test('shows a default as the option takes it', async () => {
    const durations = commandsOf(await programCommand()).flatMap(({ options }) =>
      options.filter(({ flags, defaultValue }) => flags.includes('<duration>') && defaultValue !== undefined),
    );
    expect(durations.map(({ long }) => long).sort()).toEqual(['--overlap', '--wait']);
    for (const { defaultValue, defaultValueDescription } of durations) {
      expect(parseDuration(defaultValueDescription ?? '')).toBe(defaultValue);
    }
  });
});
