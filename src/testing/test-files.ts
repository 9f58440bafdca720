import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Every test file of the repository. */
export const ALL = ['src', 'bench', 'release', 'packaging', 'client', 'examples'].map((root) => `${root}/**/*.test.ts`);

/**
 * What only the complete tier runs: files that open pages in Chromium, start or kill programs, install packages, fill disks, repeat random
 * histories, make many people at once, or write and read large files and tables. All other files are the fast tier.
 * See docs/design/testing.md.
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
  'src/access/attempts/attempts.test.ts',
  'src/access/company-versions.test.ts',
  'src/access/sealing/rotate.test.ts',
  'src/admin/live/**',
  'src/commerce/orders/placing/concurrency.test.ts',
  'src/commerce/orders/placing/contention.test.ts',
  'src/commerce/orders/search/search-plan.test.ts',
  'src/commerce/payments/providers/**',
  'src/commerce/payments/random-history.test.ts',
  'src/commerce/products/variants/concurrency.test.ts',
  'src/commerce/recommendations/recommendations.test.ts',
  'src/commerce/sales/returning.test.ts',
  'src/commerce/subscriptions/renewal/renewals.test.ts',
  'src/db/barrier/barrier.test.ts',
  'src/db/embedded/embedded.test.ts',
  'src/db/full-disk.test.ts',
  'src/db/located-lists.test.ts',
  'src/db/purge.test.ts',
  'src/demo/demo.test.ts',
  'src/erasure/replay.test.ts',
  'src/exports/archive.test.ts',
  'src/exports/round-trip.test.ts',
  'src/http/api/long-responses.test.ts',
  'src/http/large-bodies.test.ts',
  'src/http/api/long-exports.test.ts',
  'src/http/api/sorted-exports.test.ts',
  'src/http/openapi/document.test.ts',
  'src/http/unread-responses.test.ts',
  'src/imports/csv/rows.test.ts',
  'src/imports/hostile.test.ts',
  'src/imports/preview.test.ts',
  'src/marketing/campaigns/audience/**',
  'src/marketing/campaigns/confirmation.test.ts',
  'src/marketing/campaigns/hold-out/hold-out.test.ts',
  'src/marketing/campaigns/recipients/recipients.test.ts',
  'src/marketing/campaigns/report/report.test.ts',
  'src/marketing/campaigns/retry/retry.test.ts',
  'src/marketing/contacts/consent/histories.test.ts',
  'src/marketing/contacts/consent/races.test.ts',
  'src/marketing/contacts/export/export.test.ts',
  'src/marketing/rules/rules.test.ts',
  'src/marketing/segments/insight.test.ts',
  'src/messaging/compose/failures.test.ts',
  'src/messaging/consent/unsubscribe-races.test.ts',
  'src/messaging/ledger/restore-hold.test.ts',
  'src/messaging/send/send-rate.test.ts',
  'src/messaging/sending-accounts/without-installation.test.ts',
  'src/outbox/customers/races.test.ts',
  'src/retention/**',
  'src/testing/mutants/**',
  'src/testing/plans.test.ts',
];

/** Files that measure time, or the database under load: the complete tier runs them one by one, when nothing else runs. */
export const TIMED = [
  'bench/bench.test.ts',
  'bench/scale/year.test.ts',
  'src/db/lanes/lane.test.ts',
  'src/db/lanes/silent-database.test.ts',
  'src/erasure/concurrency.test.ts',
  'src/http/api/overload.test.ts',
  'src/messaging/compose/mjml/compiler.test.ts',
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
  'src/commerce/payments/kills/crash.test.ts',
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
