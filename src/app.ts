import { createSecretKey } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import { createNetworkLimiter } from './access/attempts/limiter.ts';
import { createAuthenticator } from './access/authenticator.ts';
import { createCompanyCache } from './access/company-cache.ts';
import { createCompanyVersions } from './access/company-versions.ts';
import { loadMasterKey } from './access/master-key.ts';
import { createPasswordHasher } from './access/passwords/passwords.ts';
import { createAdminSessions } from './access/sessions.ts';
import { createAccountsService } from './admin/accounts/service.ts';
import { createActivityService } from './admin/activity/service.ts';
import { createAuditService } from './admin/audit/service.ts';
import { createBulkService } from './admin/bulk/service.ts';
import { createCompaniesService } from './admin/companies/service.ts';
import { createHealthService } from './admin/health/service.ts';
import { createKeysService } from './admin/keys/service.ts';
import { liveRoutes } from './admin/live/http.ts';
import { createLiveService } from './admin/live/service.ts';
import { createMembersService } from './admin/members/service.ts';
import { createMarketingOverviewService } from './admin/overview/marketing/service.ts';
import { createOverviewService } from './admin/overview/service.ts';
import { createPasskeysService } from './admin/passkeys/service.ts';
import { createSearchService } from './admin/search/service.ts';
import { createSecondFactorsService } from './admin/second-factors/service.ts';
import { createViewsService } from './admin/views/service.ts';
import { createWebhookSecretsService } from './admin/webhook-secrets/service.ts';
import type { Clock, MovableClock } from './clock.ts';
import { createCustomerAccountsService } from './commerce/customers/accounts/service.ts';
import { createProviders } from './commerce/payments/providers/load.ts';
import { uncertainEverywhere } from './commerce/payments/queries.ts';
import { createMediaService } from './commerce/pictures/library/service.ts';
import { createResizer } from './commerce/pictures/resizing/resizer.ts';
import { createPicturesService } from './commerce/pictures/service.ts';
import { createBucketStore } from './commerce/pictures/stores/bucket.ts';
import { createDatabaseStore } from './commerce/pictures/stores/database.ts';
import { createCommerceServices } from './commerce/services.ts';
import { loadShop } from './commerce/shop.ts';
import type { Config } from './config.ts';
import { requireBarrier } from './db/barrier/require-barrier.ts';
import { workOn } from './db/barrier/work-connection.ts';
import { createDb } from './db/create-db.ts';
import { applicationName } from './db/lanes/lanes.ts';
import type { ConnectionSettings } from './db/pool.ts';
import { examine } from './doctor/examine.ts';
import {
  adminEndpoints,
  commerceEndpoints,
  marketingEndpoints,
  marketingWebhooks,
  personEndpoints,
  storeEndpoints,
} from './endpoints.ts';
import { createJournalFile } from './erasure/journal-file.ts';
import { createErasureService } from './erasure/service.ts';
import { createCompanyExportService } from './exports/service.ts';
import { createRateLimiter } from './http/api/rate-limit.ts';
import { createHostCheck } from './http/door.ts';
import { adminDocument } from './http/openapi/admin-document.ts';
import { boundPort, closeServer, connectionsInUse, createServer, stopwatch } from './http/server.ts';
import { createImportsService } from './imports/service.ts';
import { saveClockOffset } from './installation.ts';
import { createWorkers } from './jobs.ts';
import { countOrdersOfGroups, createCampaignsService } from './marketing/campaigns/service.ts';
import {
  changeConsents,
  createContactsService,
  findContacts,
  loadContacts,
  markBounced,
  resolveContacts,
} from './marketing/contacts/service.ts';
import { createEventsService } from './marketing/events/service.ts';
import { countSent, createFlowsService, findFlowOfSegment } from './marketing/flows/service.ts';
import { createFormsService } from './marketing/forms/service.ts';
import { createListsService } from './marketing/lists/service.ts';
import { createSegmentsService } from './marketing/segments/service.ts';
import { createBrandKitService } from './marketing/templates/brand/service.ts';
import { createTemplatesService } from './marketing/templates/service.ts';
import { createWebhookService } from './marketing/webhook/service.ts';
import { createMessageValues } from './message-values.ts';
import { createConsentService } from './messaging/consent/service.ts';
import { createDeliverabilityService } from './messaging/deliverability/service.ts';
import { createBounceService } from './messaging/feedback/bounces.ts';
import { createMoveWatch } from './messaging/ledger/failover.ts';
import { createMailboxService } from './messaging/mailbox/service.ts';
import { createMessageService } from './messaging/messages/service.ts';
import { createNotices } from './messaging/notices/notices.ts';
import { ownSender } from './messaging/notices/own-sender.ts';
import { heldEverywhere } from './messaging/send/holds.ts';
import { createSendingAccountsService } from './messaging/sending-accounts/service.ts';
import { createSendingDomainsService } from './messaging/sending-domains/service.ts';
import { isOwnSender } from './messaging/sending-domains/signing.ts';
import { createMessaging } from './messaging/service.ts';
import { createSendingSettingsService } from './messaging/settings/service.ts';
import { createSmsService } from './messaging/sms/service.ts';
import { createStaffNoticesService } from './messaging/staff-notices/service.ts';
import { createSuppressionsService } from './messaging/suppressions/service.ts';
import { createDatabaseGauges } from './monitoring/database-gauges.ts';
import { createLog } from './monitoring/log.ts';
import { startTracing } from './monitoring/tracing/tracing.ts';
import { createSafeFetch } from './net/safe-fetch.ts';
import { originOf } from './origin.ts';
import { createDeliveriesService } from './outbox/endpoints/delivery-service.ts';
import { createEndpointsService } from './outbox/endpoints/service.ts';
import { createRefusalsService } from './outbox/refusals/service.ts';
import type { InitialConsent } from './recipients/consent.ts';
import { createRequestRecorder } from './request-log/recorder.ts';
import { createRequestLogService } from './request-log/service.ts';
import { createRetentionService } from './retention/service.ts';
import { adminRoutes, commerceRoutes, marketingRoutes, personRoutes, registerPages, storeRoutes } from './routes.ts';
import type { App } from './services.ts';
import { createOwnDataService } from './store/accounts/service.ts';
import { createStoreCartsService } from './store/carts/service.ts';
import { createCatalogueService } from './store/catalogue/service.ts';
import { createStoreEventsService } from './store/events/service.ts';
import { createStoreKeyFinder } from './store/keys/finder.ts';
import { createStoreKeysService } from './store/keys/service.ts';
import { createStoreOrdersService } from './store/orders/service.ts';
import { registerSurfaces } from './surfaces.ts';
import { lastWrites } from './work/last-writes.ts';
import type { Wake } from './work/worker-names.ts';

/** Milliseconds that a stop may take. */
const STOP_MS = 10_000;

export interface AppOptions {
  config: Readonly<Config>;
  clock: Clock;
  /** With --test-clock: the time for everything except the machine's own concerns. */
  testClock?: MovableClock;
  connection: ConnectionSettings;
  /** Receives the log lines; standard error where absent. */
  logTo?: DestinationStream;
}

/** A running app: its server, and how to end it. */
export interface RunningApp {
  app: App;
  server: FastifyInstance;
  startWorkers(): void;
  /** Stops accepting requests, finishes those in flight (10 s at most), releases claimed work, closes the database. */
  stop(): Promise<StopReport>;
}

/** What a stop waited for. */
export interface StopReport {
  /** Connections whose request was in flight. */
  connections: number;
  requestsMs: number;
  workersMs: number;
  totalMs: number;
}

/** See docs/design/architecture.md. */
export async function createApp(options: AppOptions): Promise<RunningApp> {
  const { config } = options;
  const clock = options.testClock ?? options.clock;
  const log = createLog(config, options.logTo);
  const tracing = await startTracing(config.tracing, config.role);
  const work = await workOn(options.connection);
  requireBarrier(work, config, log);
  const db = createDb({
    connection: { ...work.connection, application_name: applicationName(config.role, process.pid) },
    wire: config.databaseWire,
    barrier: work.barrier,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const versions = createCompanyVersions(db, (error) => log.error({ err: error }, 'polling company versions failed'));
  const shops = createCompanyCache(db, versions, loadShop);
  const wake: Wake = (name) => app.workers.find((worker) => worker.name === name)?.wake();
  const origin = (): string => originOf({ ...config, port: boundPort(server) ?? config.port });
  const masterKey = loadMasterKey(config.dataDir, config.masterKey);
  const safeFetch = createSafeFetch({ allowPrivate: config.allowPrivateWebhooks });
  const messaging = createMessaging({
    db,
    clock,
    log,
    config,
    versions,
    masterKey,
    safeFetch,
    origin,
    loadContacts,
    data: createMessageValues({ shops, tokenKey: createSecretKey(masterKey.tokenKey) }),
    consequences: { changeConsents, markBounced, countSent },
  });
  const ownsSender = async (companyId: number, address: string): Promise<boolean> =>
    isOwnSender(await messaging.companies.get(companyId), address);
  const flows = createFlowsService({
    db,
    versions,
    isOwnSender: ownsSender,
    config,
    syntaxFailures: messaging.renderer.syntaxFailures,
    knowsType: (companyId, type) => events.knowsType(companyId, type),
  });
  const events = createEventsService({
    db,
    versions,
    findContacts,
    resolveContacts: async (tx, companyId, contacts, now) => {
      const { new_contacts_by_events: email } = await messaging.companies.get(companyId);
      // A contact whom the shop knows by a guest's cart alone has agreed to nothing.
      const initialOf = ({ source }: { source?: string }): InitialConsent => {
        return { email: source === 'shop' ? 'never' : email, sms: 'never', source: 'event' };
      };
      return resolveContacts(tx, companyId, contacts, now, { suppressions: messaging.suppressions, initialOf });
    },
    onEvents: async (tx, companyId, stored, now, pending) => {
      const attributed = await messaging.activity.attribute(tx, companyId, stored, now);
      await countOrdersOfGroups(tx, companyId, attributed);
      return flows.onEvents(tx, companyId, stored, now, pending);
    },
  });
  const { suppressions } = messaging;
  const journalFile = createJournalFile(config.erasureLog);
  const passwords = createPasswordHasher();
  const machineClock = options.clock;
  const networkLimiter = createNetworkLimiter(db, machineClock, (error) =>
    log.warn({ err: error }, 'the requests of networks are counted by this process alone'),
  );
  const visitorLimiter = createNetworkLimiter(db, machineClock, (error) =>
    log.warn({ err: error }, 'the requests of visitors are counted by this process alone'),
  );
  const sessions = createAdminSessions(db, machineClock);
  const secondFactors = createSecondFactorsService({ db, masterKey, machineClock });
  const countryOf = async (companyId: number): Promise<string> => (await shops.get(companyId)).country;
  const providers = createProviders(config.paymentUrls);
  const shared = {
    db,
    clock,
    log,
    masterKey,
    providers,
    versions,
    shops,
    passwords,
    messaging,
    visitorLimiter,
    wake,
    origin,
  };
  const commerce = createCommerceServices(shared);
  const customerAccounts = createCustomerAccountsService({ ...shared, adoptCart: commerce.carts.adoptCart });
  const erasures = createErasureService({ db, clock, masterKey, suppressions, journalFile, log });
  const pictureStores = {
    database: createDatabaseStore(db),
    bucket: config.bucket === null ? null : createBucketStore(config.bucket),
  };
  const resizer = createResizer();
  const contacts = createContactsService({ db, countryOf, suppressions });
  const notices = createNotices({
    clock: machineClock,
    sender: ownSender(config),
    log,
    transport: config.smtpUrl === null ? null : messaging.transports.email,
  });
  const accounts = createAccountsService({
    db,
    log,
    passwords,
    networkLimiter,
    machineClock,
    secondFactors,
    sessions,
    notices,
    origin,
    hasMail: config.smtpUrl !== null,
    hasTestClock: options.testClock !== undefined,
  });
  const deliverability = createDeliverabilityService({
    ...messaging,
    db,
    limits: config.sendingLimits,
    onResumed: () => wake('campaigns'),
  });
  const pictures = createPicturesService({
    db,
    stores: pictureStores,
    resizer,
    maxBytes: config.pictureQuotaMb * 2 ** 20,
    origin,
  });
  const media = createMediaService({ db, pictures, origin });
  const contactChanges = { changeConsents, markBounced };
  const app: App = {
    config,
    clock,
    testClock: options.testClock ?? null,
    machineClock,
    log,
    db,
    masterKey,
    providers,
    versions,
    authenticator: createAuthenticator(db, versions, clock),
    rateLimiter: createRateLimiter(db, clock),
    sessions,
    accounts,
    passkeys: createPasskeysService({ log, db, networkLimiter, machineClock, masterKey, accounts }),
    secondFactors,
    members: createMembersService({ db, machineClock, origin, notices, hasMail: config.smtpUrl !== null }),
    audit: createAuditService({ db }),
    keys: createKeysService({ db }),
    storeKeys: createStoreKeysService({ db }),
    storeKeyFinder: createStoreKeyFinder(db, versions),
    catalogue: createCatalogueService({ db, shops, pictures, origin, renderer: messaging.renderer }),
    storeCarts: createStoreCartsService({ ...commerce, ...shared, ...messaging, calls: commerce.visitorCalls }),
    storeOrders: createStoreOrdersService({
      db,
      shops,
      orders: commerce.orders,
      payments: commerce.visitorPayments,
      messaging,
      wake,
    }),
    storeEvents: createStoreEventsService({ ...commerce, db, shops, wake }),
    customerAccounts,
    ownData: createOwnDataService({ ...commerce, customerAccounts, erasures }),
    webhookSecrets: createWebhookSecretsService({ db, masterKey, origin }),
    health: createHealthService({ db, examine: () => examine(config, options.connection), machineClock, log }),
    companies: createCompaniesService({ db, masterKey, clock, renderer: messaging.renderer }),
    live: createLiveService({ db, sessions, clock, log }),
    search: createSearchService({ ...commerce, db, sessions, contacts }),
    overview: createOverviewService({ db, shops, sessions, sales: commerce.sales, deliverability }),
    marketingOverview: createMarketingOverviewService({ db, shops, deliverability }),
    views: createViewsService({ db }),
    staffNotices: createStaffNoticesService({ db, sessions }),
    bulk: createBulkService({ db, wake }),
    activity: createActivityService({ db, sessions }),
    adminDocument: () =>
      JSON.stringify(
        adminDocument({
          person: personEndpoints,
          admin: adminEndpoints,
          commerce: commerceEndpoints,
          marketing: marketingEndpoints,
        }),
      ),
    networkLimiter,
    visitorLimiter,
    requestLog: { ...createRequestRecorder({ db, log }), ...createRequestLogService({ db }) },
    passwords,
    shops,
    ...commerce,
    pictureStores,
    pictures,
    media,
    campaigns: createCampaignsService({
      db,
      exponentOf: async (companyId) => (await shops.get(companyId)).exponent,
      attributionDaysOf: async (companyId) => (await messaging.companies.get(companyId)).attribution_days,
      timeZoneOf: async (companyId) => (await shops.get(companyId)).timeZone,
      warmUpOf: (...of) => app.sendingDomains.warmUpOf(...of),
      isOwnSender: ownsSender,
      previewer: messaging.previewer,
      missingFor: messaging.missingFor,
    }),
    messages: createMessageService({ db, countSent }),
    mailbox: createMailboxService({ db, renderer: messaging.renderer }),
    sendingSettings: createSendingSettingsService({ ...messaging, db, origin, limits: config.sendingLimits }),
    deliverability,
    sendingAccounts: createSendingAccountsService({ ...messaging, db, masterKey, origin }),
    sendingDomains: createSendingDomainsService({ ...messaging, db, isOwnHost: createHostCheck(config) }),
    suppressionList: createSuppressionsService({ db, tokenKey: messaging.tokenKey }),
    bounces: createBounceService({ db, suppressions, contacts: contactChanges }),
    sms: createSmsService({ db, clock, suppressions, companies: messaging.companies, contacts: contactChanges }),
    consent: createConsentService({ db, suppressions }),
    lists: createListsService({ db }),
    forms: createFormsService({ db, origin }),
    segments: createSegmentsService({ db, events, findFlowOfSegment }),
    templates: createTemplatesService({ db, messaging }),
    brandKit: createBrandKitService({ db, renderer: messaging.renderer }),
    webhookEndpoints: createEndpointsService({ db, masterKey, config }),
    webhookDeliveries: createDeliveriesService({ db }),
    refusals: createRefusalsService({ db }),
    retention: createRetentionService({ db }),
    companyExport: createCompanyExportService({ connection: options.connection, masterKey }),
    contacts,
    imports: createImportsService({ db, shops, suppressions, wake }),
    events,
    flows,
    webhook: createWebhookService({ db, versions, masterKey, machineClock, events }),
    safeFetch,
    messaging,
    moveWatch: createMoveWatch({ db: db.chores, config, clock, log, handOvers: messaging.handOvers }),
    suppressions,
    erasures,
    journalFile,
    origin,
    routes: { commerce: [], marketing: [], store: [], person: [], admin: [] },
    workers: [],
    wake,
  };
  app.routes = {
    commerce: commerceRoutes(app),
    marketing: marketingRoutes(app),
    store: storeRoutes(app),
    person: personRoutes(app),
    admin: adminRoutes(app),
  };
  // Background work and requests do not wait for each other.
  app.workers = createWorkers({ ...app, db: db.chores });
  await versions.start();

  const server = createServer(app);
  registerSurfaces(server, app, { ...app.routes, admin: [...app.routes.admin, ...liveRoutes(app)] });
  registerPages(server, {
    ...app,
    databaseGauges:
      config.role === 'api' ? async () => '' : createDatabaseGauges({ db: db.chores, clock: machineClock, log }),
    endpoints: { commerce: commerceEndpoints, marketing: marketingEndpoints, store: storeEndpoints },
    webhooks: { commerce: [], marketing: marketingWebhooks, store: [] },
    findDetails: async () => [
      ...(await heldEverywhere(db.chores, messaging.missing)),
      ...(await uncertainEverywhere(db.chores)),
    ],
    saveClockOffset: (offset) => saveClockOffset(db, offset),
  });

  return {
    app,
    server,
    startWorkers() {
      for (const worker of app.workers) worker.start({ writes: versions.writes, clock });
    },
    async stop() {
      try {
        const elapsed = stopwatch();
        resizer.close();
        app.live.close();
        const connections = await connectionsInUse(server);
        const [requestsMs, workersMs] = await Promise.all([
          closeServer(server).then(elapsed),
          Promise.all(app.workers.map((worker) => worker.stop())).then(elapsed),
        ]);
        await Promise.all([app.messaging.close(), app.safeFetch.close()]);
        versions.stop();
        await lastWrites(log, [app.moveWatch.leave(), app.rateLimiter.close(), app.requestLog.close()]);
        // Includes what ended last. Gets at least half a second, whatever the requests have left of the 10.
        await tracing.close(Math.max(500, STOP_MS - elapsed()));
        return { connections, requestsMs, workersMs, totalMs: elapsed() };
      } finally {
        versions.stop();
        await db.close();
      }
    },
  };
}
