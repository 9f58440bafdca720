import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Every test file of the repository. */
export const ALL = ['src', 'bench', 'release', 'packaging', 'client', 'examples'].map((root) => `${root}/**/*.test.ts`);

/**
 * What only the complete tier runs: it opens pages in Chromium, starts or kills programs, installs packages, fills disks,
 * or repeats random histories. All other files are the fast tier.
 */
export const COMPLETE = [
  'bench/**',
  'client/**',
  'examples/**',
  'packaging/**',
  'release/**',
  'src/**/crash.test.ts',
  'src/cli/**',
  'src/testing/browser/!(smoke).test.ts',
  'src/testing/documents/**',
  'src/testing/docs.test.ts',
  'src/testing/failover/**',
  'src/testing/fuzz.test.ts',
  'src/testing/proxied/**',
  'src/testing/rolling/**',
  'src/commerce/subscriptions/renewal/renewals.test.ts',
  'src/db/embedded/embedded.test.ts',
  'src/db/full-disk.test.ts',
  'src/erasure/replay.test.ts',
  'src/exports/round-trip.test.ts',
  'src/marketing/contacts/consent/histories.test.ts',
  'src/messaging/consent/unsubscribe-races.test.ts',
  'src/outbox/customers/races.test.ts',
];

/** Files that measure time, or the database under load: the complete tier runs them one by one, when nothing else runs. */
export const TIMED = [
  'bench/bench.test.ts',
  'bench/scale/year.test.ts',
  'src/db/lanes/lane.test.ts',
  'src/erasure/concurrency.test.ts',
  'src/http/api/overload.test.ts',
  'src/messaging/compose/content/content-compiler.test.ts',
  'src/messaging/compose/event-loop.test.ts',
  'src/messaging/compose/liquid/hostile-previews.test.ts',
  'src/messaging/compose/neighbours.test.ts',
];

/** The files that take longest: if started last, one of them would run alone at the end. */
const LONGEST = [
  'src/testing/browser/pages.test.ts',
  'src/cli/start/start.test.ts',
  'src/testing/docs.test.ts',
  'packaging/docker/image.test.ts',
  'packaging/npm/checkout.test.ts',
  'src/cli/backup/backup.test.ts',
  'src/cli/signals/termination.test.ts',
  'src/cli/commands.test.ts',
  'src/imports/crash.test.ts',
  'src/cli/mcp/mcp.test.ts',
  'src/testing/browser/journey-shop.test.ts',
  'src/testing/browser/journey-editor.test.ts',
  'src/erasure/replay.test.ts',
  'src/testing/browser/guide.test.ts',
  'src/testing/rolling/rolling.test.ts',
  'src/testing/failover/failover.test.ts',
  'src/testing/crash.test.ts',
  'src/marketing/rules/rules.test.ts',
  'src/http/openapi/document.test.ts',
  'src/exports/round-trip.test.ts',
  'src/cli/files/import.test.ts',
  'src/commerce/subscriptions/renewal/renewals.test.ts',
];

/** The longest files first, and the others as Vitest orders them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
