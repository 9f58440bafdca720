import type { FastifyInstance } from 'fastify';
import pino, { type DestinationStream } from 'pino';
import { createFailedAttempts } from './access/attempts/limiter.ts';
import { createAuthenticator } from './access/authenticator.ts';
import { createCompanyCache } from './access/company-cache.ts';
import { createCompanyVersions } from './access/company-versions.ts';
import { loadMasterKey } from './access/master-key.ts';
import { createPasswordHasher } from './access/passwords/passwords.ts';
import { createAdminSessions } from './access/sessions.ts';
import { createAccountsService } from './admin/accounts/service.ts';
import { createAuditService } from './admin/audit/service.ts';
import { createMembersService } from './admin/members/service.ts';
import { createSecondFactorsService } from './admin/second-factors/service.ts';
import type { Clock, MovableClock } from './clock.ts';
import { createCommerceServices } from './commerce/services.ts';
import { loadShop } from './commerce/shop.ts';
import type { Config } from './config.ts';
import { requireBarrier } from './db/barrier/require-barrier.ts';
import { workOn } from './db/barrier/work-connection.ts';
import { createDb } from './db/create-db.ts';
import type { ConnectionSettings } from './db/pool.ts';
import {
  adminEndpoints,
  commerceEndpoints,
  marketingEndpoints,
  marketingWebhooks,
  personEndpoints,
} from './endpoints.ts';
import { createJournalFile } from './erasure/journal-file.ts';
import { createErasureService } from './erasure/service.ts';
import type { Route } from './http/api/endpoint.ts';
import { createRateLimiter } from './http/api/rate-limit.ts';
import {
  accountSurface,
  adminCommerceSurface,
  adminMarketingSurface,
  adminSurface,
} from './http/api/surfaces/admin.ts';
import { commerceSurface } from './http/api/surfaces/commerce.ts';
import { marketingSurface } from './http/api/surfaces/marketing.ts';
import { adminDocument } from './http/openapi/admin-document.ts';
import { createServer, registerSurface } from './http/server.ts';
import { createStreamSlots } from './http/streaming/slots.ts';
import { saveClockOffset } from './installation.ts';
import { createWorkers } from './jobs.ts';
import { createCampaignsService } from './marketing/campaigns/service.ts';
import { createContactsService, findContacts, resolveContacts } from './marketing/contacts/service.ts';
import { createEventsService } from './marketing/events/service.ts';
import { createFlowsService } from './marketing/flows/service.ts';
import { createFormsService } from './marketing/forms/service.ts';
import { createListsService } from './marketing/lists/service.ts';
import { createSegmentsService } from './marketing/segments/service.ts';
import { createTemplatesService } from './marketing/templates/service.ts';
import { createWebhookService } from './marketing/webhook/service.ts';
import { createConsentService } from './messaging/consent/service.ts';
import { createBounceService } from './messaging/feedback/bounces.ts';
import { heldEverywhere } from './messaging/gate/held-summary.ts';
import { createMailboxService } from './messaging/mailbox/service.ts';
import { createMessageService } from './messaging/messages/service.ts';
import { createMessaging } from './messaging/service.ts';
import { createSendingSettingsService } from './messaging/settings/service.ts';
import { createSmsService } from './messaging/sms/service.ts';
import { createSuppressionsService } from './messaging/suppressions/service.ts';
import { originOf } from './origin.ts';
import { createDeliveriesService } from './outbox/endpoints/delivery-service.ts';
import { createEndpointsService } from './outbox/endpoints/service.ts';
import { createRefusalsService } from './outbox/refusals/service.ts';
import { createSafeFetch } from './outbox/safe-fetch.ts';
import { adminRoutes, commerceRoutes, marketingRoutes, personRoutes, registerPages } from './routes.ts';
import type { App } from './services.ts';
import type { Wake } from './work/worker-names.ts';

export interface AppOptions {
  config: Readonly<Config>;
  clock: Clock;
  /** With --test-clock: the time of everything but the machine's own affairs. */
  testClock?: MovableClock;
  connection: ConnectionSettings;
  /** Receives the log lines; standard error where absent. */
  logTo?: DestinationStream;
}

/** An app that runs: its server, and how to end it. */
export interface RunningApp {
  app: App;
  server: FastifyInstance;
  startWorkers(): void;
  /** Stops accepting, finishes what is in flight (10 s at most), hands back claimed work, closes the database. */
  stop(): Promise<void>;
}

export async function createApp(options: AppOptions): Promise<RunningApp> {
  const { config } = options;
  const clock = options.testClock ?? options.clock;
  // Standard output is for what the program has to say to people.
  const log = pino(
    { level: config.logLevel, redact: ['*.password', '*.key', 'req.headers.authorization'] },
    options.logTo ?? pino.destination(2),
  );
  const work = await workOn(options.connection);
  requireBarrier(work, config, log);
  const db = createDb({
    connection: work.connection,
    barrier: work.barrier,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  const versions = createCompanyVersions(db, (error) => log.error({ err: error }, 'polling company versions failed'));
  const shops = createCompanyCache(db, versions, loadShop);
  const wake: Wake = (name) => app.workers.find((worker) => worker.name === name)?.wake();
  const origin = (): string => originOf({ ...config, port: boundPort(server) ?? config.port });
  const masterKey = loadMasterKey(config.dataDir, config.masterKey);
  const safeFetch = createSafeFetch({ allowPrivate: config.allowPrivateWebhooks });
  const messaging = createMessaging({ db, clock, log, config, versions, masterKey, safeFetch, origin });
  const flows = createFlowsService({
    db,
    versions,
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
      const initial = { email, sms: 'never', source: 'event' } as const;
      return resolveContacts(tx, companyId, contacts, now, { suppressions: messaging.suppressions, initial });
    },
    onEvents: async (tx, companyId, stored, now, pending) => {
      await messaging.activity.attribute(tx, companyId, stored, now);
      return flows.onEvents(tx, companyId, stored, now, pending);
    },
  });
  const { suppressions } = messaging;
  const journalFile = createJournalFile(config.erasureLog);
  const passwords = createPasswordHasher();
  const machineClock = options.clock;
  const failedAttempts = createFailedAttempts(db, machineClock, (error) =>
    log.warn({ err: error }, 'failed sign-ins are counted by this process alone'),
  );
  const sessions = createAdminSessions(db, machineClock);
  const secondFactors = createSecondFactorsService({ db, masterKey, machineClock });
  const countryOf = async (companyId: number): Promise<string> => (await shops.get(companyId)).country;
  const app: App = {
    config,
    clock,
    testClock: options.testClock ?? null,
    machineClock,
    log,
    db,
    masterKey,
    versions,
    authenticator: createAuthenticator(db, versions, clock),
    rateLimiter: createRateLimiter(db, clock),
    sessions,
    accounts: createAccountsService({
      ...{ db, log, passwords, failedAttempts, machineClock, secondFactors, sessions },
      hasMail: config.smtpUrl !== null,
      hasTestClock: options.testClock !== undefined,
    }),
    secondFactors,
    members: createMembersService({ db, machineClock, origin }),
    audit: createAuditService({ db }),
    adminDocument: () =>
      JSON.stringify(
        adminDocument({
          person: personEndpoints,
          admin: adminEndpoints,
          commerce: commerceEndpoints,
          marketing: marketingEndpoints,
        }),
      ),
    failedAttempts,
    streams: createStreamSlots(),
    passwords,
    shops,
    ...createCommerceServices({ db, versions, shops, passwords, messaging, wake }),
    campaigns: createCampaignsService({
      db,
      exponentOf: async (companyId) => (await shops.get(companyId)).exponent,
      previewer: messaging.previewer,
      missing: messaging.missing,
    }),
    messages: createMessageService({ db }),
    mailbox: createMailboxService({ db, renderer: messaging.renderer }),
    sendingSettings: createSendingSettingsService({ ...messaging, db, origin }),
    suppressionList: createSuppressionsService({ db, tokenKey: messaging.tokenKey }),
    bounces: createBounceService({ db, suppressions }),
    sms: createSmsService({ db, clock, suppressions, companies: messaging.companies }),
    consent: createConsentService({ db, suppressions }),
    lists: createListsService({ db }),
    forms: createFormsService({ db, origin }),
    segments: createSegmentsService({ db, events }),
    templates: createTemplatesService({ db, messaging }),
    webhookEndpoints: createEndpointsService({ db, masterKey, config }),
    webhookDeliveries: createDeliveriesService({ db }),
    refusals: createRefusalsService({ db }),
    contacts: createContactsService({ db, countryOf, suppressions }),
    events,
    flows,
    webhook: createWebhookService({ db, versions, masterKey, events }),
    safeFetch,
    messaging,
    suppressions,
    erasures: createErasureService({ db, clock, masterKey, suppressions, journalFile, log }),
    journalFile,
    origin,
    routes: { commerce: [], marketing: [], person: [], admin: [] },
    workers: [],
    wake,
  };
  app.routes = {
    commerce: commerceRoutes(app),
    marketing: marketingRoutes(app),
    person: personRoutes(app),
    admin: adminRoutes(app),
  };
  // What is done in the background waits behind no request, and no request behind it.
  app.workers = createWorkers({ ...app, db: db.chores });
  await versions.start();

  const server = createServer(app);
  registerSurface(server, app, commerceSurface, app.routes.commerce);
  registerSurface(server, app, marketingSurface, app.routes.marketing);
  registerSurface(server, app, accountSurface, app.routes.person);
  registerSurface(server, app, adminSurface, app.routes.admin);
  registerSurface(server, app, adminCommerceSurface, closed(app.routes.commerce));
  registerSurface(server, app, adminMarketingSurface, closed(app.routes.marketing));
  registerPages(server, {
    ...app,
    endpoints: { commerce: commerceEndpoints, marketing: marketingEndpoints },
    webhooks: { commerce: [], marketing: marketingWebhooks },
    heldMessages: () => heldEverywhere(db.chores, messaging.missing),
    saveClockOffset: (offset) => saveClockOffset(db, offset),
  });

  return {
    app,
    server,
    startWorkers() {
      for (const worker of app.workers) worker.start();
    },
    async stop() {
      try {
        await Promise.all([closeServer(server), ...app.workers.map((worker) => worker.stop())]);
        await Promise.all([app.messaging.close(), app.safeFetch.close()]);
        versions.stop();
        await app.rateLimiter.close();
      } finally {
        versions.stop();
        await db.close();
      }
    },
  };
}

/** Without what authenticates itself: no person calls that. */
function closed(routes: Route[]): Route[] {
  return routes.filter(({ endpoint }) => endpoint.scope !== 'public');
}

/** null for a process that does not listen, or not yet. */
function boundPort(server: FastifyInstance): number | null {
  const bound = server.server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : null;
}

/** Finishes the requests in flight; what takes longer than 10 s is cut off. */
async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), 10_000);
  // A connection whose request was in flight is kept alive after its response.
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
  await server.close();
  clearInterval(sweep);
  clearTimeout(cut);
}
