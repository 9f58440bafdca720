const NEEDED = process.env.TRADELOOM_TESTS_NEED ?? '';

/**
 * Called where a program is not installed, before what needs it is skipped. TRADELOOM_TESTS_NEED names those that must be there, as on
 * machines whose results are relied on: `chromium promtool`. Their tests fail then.
 */
export function refuseWithout(program: string, needed = NEEDED): void {
  if (needed.split(/[\s,]+/).includes(program)) {
    throw new Error(`${program} is not installed, and TRADELOOM_TESTS_NEED says that the tests need it`);
  }
}
