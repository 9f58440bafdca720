import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { knownSettings } from '../testing/settings.ts';

const UNIT = fileURLToPath(new URL('./tradeloom@.service', import.meta.url));
const unit = readFileSync(UNIT, 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasSystemd) process.stdout.write('SKIPPED the analysis of the systemd unit: systemd-analyze is not installed\n');

describe('the systemd unit', () => {
  it.runIf(hasSystemd)('is exposed by at most 2.0 of 10, as systemd-analyze rates it', () => {
    const said = execFileSync('systemd-analyze', ['security', '--offline=true', UNIT], { encoding: 'utf8' });
    const rate = /Overall exposure level for \S+: ([\d.]+)/.exec(said)![1];
    expect(Number(rate)).toBeLessThanOrEqual(2);
  });

  it('runs a role as a user of its own, waits longer than the program takes to end, and starts it again', () => {
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node \/opt\/tradeloom\/src\/main\.js start --role %i$/m);
    expect(unit).toMatch(/^User=tradeloom$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])).toBeGreaterThan(12);
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=true/m);
  });

  it('sets only settings that exist', () => {
    const names = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, all]) => all!.split(' '));
    const file = readFileSync(new URL('./tradeloom.env', import.meta.url), 'utf8');
    const all = [...names, ...file.split('\n').filter((line) => /^\w+=/.test(line))].map((pair) => pair.split('=')[0]!);
    expect(all.length).toBeGreaterThan(6);
    expect(all.filter((name) => name !== 'NODE_ENV' && !knownSettings().has(name))).toEqual([]);
  });
});
