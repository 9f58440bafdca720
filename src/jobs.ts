import type { App } from './app.ts';
import { createRenewalWorker } from './commerce/subscriptions/worker.ts';
import { findHome } from './db/home.ts';
import { purgeAnswers } from './db/idempotency.ts';
import { foldListCounts } from './db/list-counts.ts';
import { createJournalSync, replayFile } from './erasure/replay.ts';
import { createErasureWorker } from './erasure/worker.ts';
import { holdIfMoved } from './installation.ts';
import { createAudienceWorker } from './marketing/campaigns/audience-worker.ts';
import { createCampaignWorker } from './marketing/campaigns/worker.ts';
import { backfillSuppressions } from './marketing/contacts/service.ts';
import { addUpEvents, createKeyPurge, ensurePartitions } from './marketing/events/service.ts';
import { createFlowWebhookWorker } from './marketing/flows/webhook-worker.ts';
import { createFlowStatsWorker, createFlowWorker } from './marketing/flows/worker.ts';
import { purgeFormRates, purgeSubmissions } from './marketing/forms/service.ts';
import { createListPurger } from './marketing/lists/worker.ts';
import { classifyBuyers } from './marketing/segments/service.ts';
import { createConfirmationWorker } from './messaging/confirmations.ts';
import { purgeOldMails, purgeOldNotifications, queueMessages } from './messaging/service.ts';
import { purgeOldDeliveries } from './outbox/endpoints/service.ts';
import { createDeliveryWorker } from './outbox/endpoints/worker.ts';
import { createOutboxWorker } from './outbox/worker.ts';
import { type Chore, createChoresWorker } from './work/chores.ts';
import { inSlices } from './work/slices.ts';
import type { Worker } from './work/worker.ts';

/** Everything that is done in the background, one worker each. */
export const jobs: ((app: App) => Worker)[] = [
  (app) => createChoresWorker({ log: app.log, chores: choresOf(app) }),
  (app) => createOutboxWorker({ ...app, onCarried: () => app.wake('webhook-deliveries') }),
  (app) => createDeliveryWorker(app),
  (app) => createRenewalWorker({ ...app, onPlaced: () => app.wake('outbox') }),
  (app) => app.messaging.createWorker(),
  (app) => createConfirmationWorker(app),
  (app) => createAudienceWorker({ ...app, onKnown: () => app.wake('campaigns') }),
  (app) => createCampaignWorker({ ...app, missing: app.messaging.missing, onWritten: () => app.wake('sender') }),
  (app) => createListPurger(app),
  (app) => createErasureWorker(app),
  (app) => createFlowWorker({ ...app, ...app.events, enrolment: app.flows.enrolment, queueMessages }),
  (app) => createFlowStatsWorker(app),
  (app) => createFlowWebhookWorker({ ...app, renderer: app.messaging.renderer }),
];

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

function choresOf(app: App): Chore[] {
  const { db, clock, config, log, messaging } = app;
  return [
    { name: 'hold sending in a restored database', everyMs: SECOND, run: holdWhereMoved },
    { name: 'write erasures to the journal file', everyMs: SECOND, run: createJournalSync(app) },
    { name: 'fold list counts', everyMs: SECOND, run: inSlices(foldListCounts(db)) },
    { name: 'forget old idempotent answers', everyMs: HOUR, run: inSlices(purgeAnswers(db, clock)) },
    { name: 'forget old event keys', everyMs: 60 * SECOND, run: createKeyPurge(db, clock) },
    { name: 'forget old mails of the mailbox', everyMs: HOUR, run: inSlices(purgeOldMails(db, clock)) },
    { name: 'forget old notifications of bounces', everyMs: HOUR, run: inSlices(purgeOldNotifications(db, clock)) },
    { name: 'forget unconfirmed submissions of forms', everyMs: HOUR, run: inSlices(purgeSubmissions(db, clock)) },
    { name: 'forget old counts of forms', everyMs: 60 * SECOND, run: inSlices(purgeFormRates(db, clock)) },
    { name: 'forget old deliveries of webhooks', everyMs: HOUR, run: inSlices(purgeOldDeliveries(db, clock)) },
    {
      name: 'suppress addresses of contacts that had unsubscribed',
      everyMs: SECOND,
      run: () => backfillSuppressions(db, messaging.suppressions, clock.now()),
    },
    { name: 'add up the events of days past', everyMs: 60 * SECOND, run: () => addUpEvents(db, clock.now()) },
    { name: 'classify the buyers of each company', everyMs: 60 * SECOND, run: () => classifyBuyers({ db, clock }) },
    { name: 'make the coming months of events', everyMs: HOUR, run: () => ensurePartitions(db, clock.now()) },
  ];

  /** It may have been replaced under this process. */
  async function holdWhereMoved(): Promise<void> {
    const moved = await holdIfMoved(db, await findHome(db, config), clock.now());
    if (!moved) return;
    log.error('this database was restored or copied: sending is held until tradeloom sending confirm');
    await replayFile(app);
  }
}
