import type { Logger } from 'pino';
import type { CompanyVersions } from './access/company-versions.ts';
import type { MasterKey } from './access/master-key.ts';
import { purgeBulkChanges } from './admin/bulk/undo.ts';
import { createBulkWorker } from './admin/bulk/worker.ts';
import type { Clock } from './clock.ts';
import { raiseAbandoned } from './commerce/carts/abandoned.ts';
import { releaseOverdueCarts } from './commerce/carts/release.ts';
import { applyChangedRules, refreshDueRules } from './commerce/collections/updates.ts';
import { removeDeletedFields } from './commerce/custom-fields/removal.ts';
import {
  purgeCustomerCodes,
  purgeCustomerSessions,
  purgePasskeyChallenges,
} from './commerce/customers/accounts/service.ts';
import { foldCustomerFigures } from './commerce/customers/service.ts';
import { createPaymentWorker } from './commerce/payments/operations/worker.ts';
import { raiseExpiring } from './commerce/payments/saved/expiring.ts';
import { type PaymentCalls, payUrlOf, purgePaymentWebhooks } from './commerce/payments/service.ts';
import { type PicturesService, removeOldPictures } from './commerce/pictures/service.ts';
import type { PictureStores } from './commerce/pictures/stores/store.ts';
import { keepChangedFacets } from './commerce/products/facets/updates.ts';
import { createPictureFetchWorker } from './commerce/products/imported/fetch-worker.ts';
import { publishDueProducts } from './commerce/products/publish.ts';
import { createRecommendations } from './commerce/recommendations/worker.ts';
import type { ShopCache } from './commerce/shop.ts';
import { createRenewalWorker } from './commerce/subscriptions/renewal/worker.ts';
import type { Config } from './config.ts';
import { foldDeltas } from './db/counters.ts';
import type { Db } from './db/pool.ts';
import { purgeResponses } from './db/stored-responses.ts';
import type { JournalFile } from './erasure/journal-file.ts';
import { createJournalSync, replayFile } from './erasure/replay.ts';
import { createErasureWorker } from './erasure/worker.ts';
import { createImportWorker } from './imports/run/worker.ts';
import { purgeImports } from './imports/upkeep.ts';
import { createAudienceWorker } from './marketing/campaigns/audience/worker.ts';
import { createCampaignWorker } from './marketing/campaigns/worker.ts';
import { foldLastActivity, readLoadedActivity } from './marketing/contacts/service.ts';
import { addUpEvents, createKeyPurge, type EventsService, ensurePartitions } from './marketing/events/service.ts';
import { repairAttemptDueTimes, repairCallDueTimes } from './marketing/flows/execution/due-time-repair.ts';
import { createFlowWebhookWorker } from './marketing/flows/execution/webhooks/worker.ts';
import { createFlowWorker } from './marketing/flows/execution/worker.ts';
import type { FlowsService } from './marketing/flows/service.ts';
import { raiseDates } from './marketing/flows/triggers/dates.ts';
import { raiseJoins } from './marketing/flows/triggers/segments.ts';
import { purgeFormRates, purgeSubmissions } from './marketing/forms/service.ts';
import { createListPurger } from './marketing/lists/worker.ts';
import { classifyBuyers, countGrowth } from './marketing/segments/service.ts';
import { createConfirmationWorker } from './messaging/consent/confirmations.ts';
import { pauseAboveLimits } from './messaging/deliverability/pausing.ts';
import { repairMessageDueTimes } from './messaging/ledger/due-time-repair.ts';
import type { MoveWatch } from './messaging/ledger/failover.ts';
import { createDomainCheckWorker } from './messaging/sending-domains/worker.ts';
import { type Messaging, purgeOldNotifications, queueMessages } from './messaging/service.ts';
import { mailNotices, purgeNotices } from './messaging/staff-notices/service.ts';
import type { Suppressions } from './messaging/suppressions/suppressions.ts';
import type { SafeFetch } from './net/safe-fetch.ts';
import { repairDeliveryDueTimes } from './outbox/endpoints/due-time-repair.ts';
import { createDeliveryWorker } from './outbox/endpoints/worker.ts';
import { createOutboxWorker } from './outbox/worker.ts';
import { createRetention } from './retention/worker.ts';
import { type Chore, createChoresWorker } from './work/chores.ts';
import { inSlices, UNFINISHED } from './work/slices.ts';
import type { Worker } from './work/worker.ts';
import type { Wake } from './work/worker-names.ts';

/** What the workers need from the program. */
export interface JobsDeps {
  /** The lane for background work. */
  db: Db;
  clock: Clock;
  machineClock: Clock;
  log: Logger;
  config: Readonly<Config>;
  masterKey: MasterKey;
  shops: ShopCache;
  versions: CompanyVersions;
  suppressions: Suppressions;
  messaging: Messaging;
  events: EventsService;
  flows: FlowsService;
  moveWatch: MoveWatch;
  pictureStores: PictureStores;
  pictures: PicturesService;
  safeFetch: SafeFetch;
  calls: PaymentCalls;
  journalFile: JournalFile;
  origin: () => string;
  wake: Wake;
}

/** Everything that is done in the background, one worker each. */
export function createWorkers(deps: JobsDeps): Worker[] {
  return [
    createChoresWorker({ log: deps.log, chores: choresOf(deps) }),
    createOutboxWorker({ ...deps, onTransferred: () => deps.wake('webhook-deliveries') }),
    createDeliveryWorker(deps),
    createRenewalWorker({
      ...deps,
      payUrl: payUrlOf('cart', deps.messaging.tokenKey, deps.origin),
      onPlaced: () => {
        deps.wake('outbox');
        deps.wake('payments');
      },
    }),
    createPaymentWorker(deps),
    deps.messaging.createWorker(),
    createDomainCheckWorker({ ...deps, ...deps.messaging }),
    createConfirmationWorker(deps),
    createAudienceWorker({ ...deps, onKnown: () => deps.wake('campaigns') }),
    createCampaignWorker({
      ...deps,
      missing: deps.messaging.missing,
      missingFor: deps.messaging.missingFor,
      onWritten: () => deps.wake('sender'),
    }),
    createListPurger(deps),
    createErasureWorker(deps),
    createImportWorker({ ...deps, renderer: deps.messaging.renderer }),
    createPictureFetchWorker(deps),
    createBulkWorker({ ...deps, onChanged: () => deps.wake('outbox') }),
    createFlowWorker({ ...deps, ...deps.events, enrolment: deps.flows.enrolment, queueMessages }),
    createFlowWebhookWorker({ ...deps, renderer: deps.messaging.renderer }),
  ];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function choresOf(deps: JobsDeps): Chore[] {
  const { db, clock, config, log, messaging } = deps;
  return [
    { name: 'hold sending after a restore', everyMs: SECOND, run: holdWhereMoved },
    { name: 'write erasures to the journal file', everyMs: SECOND, afterWrites: true, run: createJournalSync(deps) },
    { name: 'fold counters', everyMs: SECOND, afterWrites: true, run: inSlices(foldDeltas(db, 'counter')) },
    { name: 'fold sales', everyMs: SECOND, afterWrites: true, run: inSlices(foldDeltas(db, 'sales')) },
    { name: 'fold customer figures', everyMs: SECOND, afterWrites: true, run: inSlices(foldCustomerFigures(db)) },
    { name: 'fold last activity of contacts', everyMs: 30 * SECOND, run: inSlices(foldLastActivity(db, clock)) },
    { name: 'fold last activity of loaded companies', everyMs: MINUTE, run: inSlices(readLoadedActivity(db)) },
    { name: 'delete old idempotent responses', everyMs: HOUR, run: inSlices(purgeResponses(db, clock)) },
    { name: 'delete expired event keys', everyMs: MINUTE, run: createKeyPurge(db, clock) },
    { name: 'delete old bounce notifications', everyMs: HOUR, run: inSlices(purgeOldNotifications(db, clock)) },
    { name: 'delete unconfirmed form submissions', everyMs: HOUR, run: inSlices(purgeSubmissions(db, clock)) },
    { name: 'delete old webhooks of payment services', everyMs: HOUR, run: inSlices(purgePaymentWebhooks(db, clock)) },
    { name: 'delete expired sessions of customers', everyMs: HOUR, run: inSlices(purgeCustomerSessions(db, clock)) },
    { name: 'delete expired codes of customers', everyMs: HOUR, run: inSlices(purgeCustomerCodes(db, clock)) },
    { name: 'delete used challenges of passkeys', everyMs: HOUR, run: inSlices(purgePasskeyChallenges(db, clock)) },
    { name: 'delete files and journals of imports', everyMs: MINUTE, run: inSlices(purgeImports(db, clock)) },
    { name: 'delete undo data of bulk actions', everyMs: HOUR, run: inSlices(purgeBulkChanges(db, clock)) },
    { name: 'delete old staff notices', everyMs: HOUR, run: inSlices(purgeNotices(db, clock)) },
    {
      name: 'mail staff notices',
      everyMs: 10 * SECOND,
      run: async () => void ((await mailNotices({ ...deps, ...messaging })) > 0 && deps.wake('sender')),
    },
    { name: 'delete old form rates', everyMs: MINUTE, run: inSlices(purgeFormRates(db, clock)) },
    {
      name: 'delete unused pictures',
      everyMs: MINUTE,
      run: inSlices(removeOldPictures({ db, clock, log, stores: deps.pictureStores })),
    },
    { name: 'delete data past its retention period', everyMs: MINUTE, run: createRetention(deps) },
    {
      name: 'repair due times of webhook deliveries',
      everyMs: MINUTE,
      run: inSlices(repairDeliveryDueTimes(db, clock)),
    },
    {
      name: 'repair due times of flow webhook calls',
      everyMs: MINUTE,
      run: inSlices(repairCallDueTimes(db, clock)),
    },
    {
      name: 'repair due times of flow retries',
      everyMs: MINUTE,
      run: inSlices(repairAttemptDueTimes(db, clock)),
    },
    {
      name: 'apply changed rules of collections',
      everyMs: SECOND,
      afterWrites: true,
      run: inSlices(applyChangedRules(deps)),
    },
    {
      name: 'refresh rules of collections that depend on the date',
      everyMs: MINUTE,
      run: inSlices(refreshDueRules(deps)),
    },
    {
      name: 'keep changed facets of products',
      everyMs: SECOND,
      afterWrites: true,
      run: inSlices(keepChangedFacets(deps)),
    },
    {
      name: 'remove values of deleted custom fields',
      everyMs: SECOND,
      afterWrites: true,
      run: inSlices(removeDeletedFields(deps)),
    },
    { name: 'publish drafts whose date has come', everyMs: 5 * SECOND, run: inSlices(publishDueProducts(deps)) },
    {
      name: 'release carts whose reservation has ended',
      everyMs: 10 * SECOND,
      run: inSlices(releaseOverdueCarts(deps)),
    },
    { name: 'raise events of expiring payment methods', everyMs: HOUR, run: inSlices(raiseExpiring(deps)) },
    { name: 'raise events of abandoned carts', everyMs: MINUTE, run: inSlices(raiseAbandoned(deps)) },
    { name: 'raise events of dates of contacts', everyMs: MINUTE, run: inSlices(raiseDates(deps)) },
    { name: 'raise events of joined segments', everyMs: MINUTE, run: inSlices(raiseJoins(deps)) },
    { name: 'update recommendations', everyMs: MINUTE, run: createRecommendations(deps) },
    {
      name: 'repair due times of messages',
      everyMs: MINUTE,
      run: inSlices(repairMessageDueTimes(db, clock)),
    },
    {
      name: 'pause marketing above the limits',
      everyMs: 10 * SECOND,
      run: () => pauseAboveLimits({ ...deps, ...messaging, limits: config.sendingLimits }),
    },
    { name: 'add up events of completed days', everyMs: MINUTE, run: () => addUpEvents(db, clock.now()) },
    { name: 'compute RFM boundaries', everyMs: MINUTE, run: () => classifyBuyers({ db, clock }) },
    { name: 'count segments', everyMs: MINUTE, run: countSegments },
    { name: 'create event partitions', everyMs: HOUR, run: () => ensurePartitions(db, clock.now()) },
  ];

  /** Repeats until every segment has its count of the day. */
  async function countSegments(): Promise<typeof UNFINISHED | undefined> {
    return (await countGrowth({ db, clock, log })) > 0 ? UNFINISHED : undefined;
  }

  /** The database may have been replaced while this process runs. */
  async function holdWhereMoved(): Promise<void> {
    if (!(await deps.moveWatch.look())) return;
    log.error('this database was restored or copied: sending is held until tradeloom sending confirm');
    await replayFile(deps);
  }
}
