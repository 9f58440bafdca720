import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, as measured with two others running at the same time: if started last, one of them would
 * run alone for minutes. A run with `--reporter=json` shows what has changed.
 */
const LONGEST = [
  'src/testing/browser/pages.test.ts',
  'src/testing/browser/pages-phone.test.ts',
  'src/cli/start/start.test.ts',
  'src/testing/docs.test.ts',
  'packaging/docker/image.test.ts',
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
  'src/testing/crash.test.ts',
  'src/marketing/rules/rules.test.ts',
  'src/http/openapi/document.test.ts',
  'src/exports/round-trip.test.ts',
  'src/cli/files/import.test.ts',
  'src/commerce/subscriptions/renewal/renewals.test.ts',
];

/** Files that measure time, or the database under load: they run one by one, when nothing else does. */
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
