import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { findChromium } from './browser/browser.ts';
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

  /** Returns what `npm test` receives, where nothing can be installed and a fake npm prints its environment. */
  function seenByTests(env: Record<string, string>): string {
    const fake = (name: string, script: string): void => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    fake('npm', 'echo "$1 needs=$TRADELOOM_TESTS_NEED promtool=$(command -v promtool)"; echo "1 passed, 0 failed"');
    fake('apt-get', '[ "$1" = download ] && touch prometheus_1_all.deb');
    fake(
      'dpkg',
      'mkdir -p "$3/usr/bin" && printf "#!/bin/sh\\n" > "$3/usr/bin/promtool" && chmod 755 "$3/usr/bin/promtool"',
    );
    const path = `${folder}:/usr/bin:/bin`;
    const script = fileURLToPath(new URL('../../.ci/run', import.meta.url));
    const { stdout, stderr, status } = spawnSync('bash', [script], { env: { ...env, PATH: path }, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  }

  it('needs Chromium where it is relied on, and unpacks promtool without installing a service', () => {
    const seen = seenByTests({ CI: 'true' });
    expect(seen).toMatch(/^test needs=chromium promtool=\/\S+\/promtool$/m);
    expect(seenByTests({})).toMatch(/^test needs= promtool=/m);
    const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');
    expect(script).not.toMatch(/install [^\n]*prometheus/);
  });
});
