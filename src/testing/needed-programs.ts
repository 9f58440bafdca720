const NEEDED = process.env.TRADELOOM_TESTS_NEED ?? '';

/**
 * Called where a program is not installed, before the tests that need it are skipped. TRADELOOM_TESTS_NEED lists the
 * programs that must exist, on machines whose results are relied on: `chromium promtool`. Their tests then fail.
 */
export function refuseWithout(program: string, needed = NEEDED): void {
  if (needed.split(/[\s,]+/).includes(program)) {
    throw new Error(`${program} is not installed, and TRADELOOM_TESTS_NEED says that the tests need it`);
  }
}
