import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { findChromium } from './browser/chromium.ts';
import { refuseWithout } from './needed-programs.ts';

describe('a program that is not installed', () => {
  it('is missed only where the tests are told to need it', () => {
    expect(() => refuseWithout('chromium', '')).not.toThrow();
    expect(() => refuseWithout('chromium', 'promtool')).not.toThrow();
    expect(() => refuseWithout('chromium', 'promtool chromium')).toThrow(/chromium is not installed/);
  });

  it('is missed by tests in Chromium', () => {
    expect(findChromium(['/nowhere/chromium'], '')).toBeNull();
    expect(() => findChromium(['/nowhere/chromium'], 'chromium')).toThrow(/chromium is not installed/);
  });
});

describe('.ci/run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradeloom-ci-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it where nothing can be installed, and a fake npm prints its environment and runs this for the tests. */
  function run(env: Record<string, string>, tests: string) {
    const fake = (name: string, script: string): void => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    fake(
      'npm',
      `echo "$* needs=$TRADELOOM_TESTS_NEED promtool=$(command -v promtool)"\n[ "$1" = ci ] || { ${tests}; }`,
    );
    fake('apt-get', '[ "$1" = download ] && touch prometheus_1_all.deb');
    fake(
      'dpkg',
      'mkdir -p "$3/usr/bin" && printf "#!/bin/sh\\n" > "$3/usr/bin/promtool" && chmod 755 "$3/usr/bin/promtool"',
    );
    const path = `${folder}:/usr/bin:/bin`;
    const script = fileURLToPath(new URL('../../.ci/run', import.meta.url));
    const { stdout, status } = spawnSync('bash', [script], { env: { ...env, PATH: path }, encoding: 'utf8' });
    return { status, stdout, closing: stdout.split('\n').filter((line) => / passed, /.test(line)) };
  }

  it('needs Chromium where it is relied on, and unpacks promtool without installing a service', () => {
    const passing = 'echo "1 passed, 0 failed"';
    expect(run({ CI: 'true' }, passing).stdout).toMatch(/^test needs=chromium promtool=\/\S+\/promtool$/m);
    expect(run({}, passing).stdout).toMatch(/^test needs= promtool=/m);
    const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');
    expect(script).not.toMatch(/install [^\n]*prometheus/);
  });

  it.each([
    ['both tiers pass', 'echo "2 passed, 0 failed"', 0, '4 passed, 0 failed'],
    [
      'the fast tier fails',
      'if [ "$1" = test ]; then echo "2 passed, 1 failed"; exit 1; else echo "3 passed, 0 failed"; fi',
      1,
      '5 passed, 1 failed',
    ],
    ['a tier ends without its line', '[ "$1" = test ] || echo "2 passed, 0 failed"', 1, '2 passed, 1 failed'],
    [
      'a tier fails and its line does not say so',
      'echo "2 passed, 0 failed"; [ "$1" = test ]',
      1,
      '4 passed, 1 failed',
    ],
    ['nothing ran', 'true', 1, '0 passed, 1 failed'],
  ])('ends with one line that is the sum of both tiers: %s', (_, tests, status, line) => {
    expect(run({}, tests)).toMatchObject({ status, closing: [line] });
  });
});
