import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { createFailedAttempts, type FailedAttempts } from './access/attempts/limiter.ts';
import { type Authenticator, createAuthenticator } from './access/authenticator.ts';
import { createCompanyCache } from './access/company-cache.ts';
import { type CompanyVersions, createCompanyVersions } from './access/company-versions.ts';
import { loadMasterKey, type MasterKey } from './access/master-key.ts';
import { createPasswordHasher, type PasswordHasher } from './access/passwords/passwords.ts';
import { type AdminSessions, createAdminSessions } from './access/sessions.ts';
import { type AccountsService, createAccountsService } from './admin/accounts/service.ts';
import { type AuditService, createAuditService } from './admin/audit/service.ts';
import { createMembersService, type MembersService } from './admin/members/service.ts';
import { createSecondFactorsService, type SecondFactorsService } from './admin/second-factors/service.ts';
import type { Clock, MovableClock } from './clock.ts';
import { type CommerceServices, createCommerceServices } from './commerce/services.ts';
import { loadShop, type ShopCache } from './commerce/shop.ts';
import type { Config } from './config.ts';
import { requireBarrier } from './db/barrier/require-barrier.ts';
import { workOn } from './db/barrier/work-connection.ts';
import { createDb } from './db/create-db.ts';
import type { ConnectionSettings, Db } from './db/pool.ts';
import {
  adminEndpoints,
  commerceEndpoints,
  marketingEndpoints,
  marketingWebhooks,
  personEndpoints,
} from './endpoints.ts';
import { createJournalFile, type JournalFile } from './erasure/journal-file.ts';
import { createErasureService, type ErasureService } from './erasure/service.ts';
import { accountSurface, adminCommerceSurface, adminMarketingSurface, adminSurface } from './http/api/admin.ts';
import { commerceSurface } from './http/api/commerce.ts';
import type { Route } from './http/api/endpoint.ts';
import { marketingSurface } from './http/api/marketing.ts';
import { createRateLimiter, type RateLimiter } from './http/api/rate-limit.ts';
import { adminDocument } from './http/openapi/admin-document.ts';
import { createServer, registerSurface } from './http/server.ts';
import { createStreamSlots, type StreamSlots } from './http/streaming/slots.ts';
import { saveClockOffset } from './installation.ts';
import { createWorkers } from './jobs.ts';
import { type CampaignsService, createCampaignsService } from './marketing/campaigns/service.ts';
import {
  type ContactsService,
  createContactsService,
  findContacts,
  resolveContacts,
} from './marketing/contacts/service.ts';
import { createEventsService, type EventsService } from './marketing/events/service.ts';
import { createFlowsService, type FlowsService } from './marketing/flows/service.ts';
import { createFormsService, type FormsService } from './marketing/forms/service.ts';
import { createListsService, type ListsService } from './marketing/lists/service.ts';
import { createSegmentsService, type SegmentsService } from './marketing/segments/service.ts';
import { createTemplatesService, type TemplatesService } from './marketing/templates/service.ts';
import { createWebhookService, type WebhookService } from './marketing/webhook/service.ts';
import { type ConsentService, createConsentService } from './messaging/consent/service.ts';
import { type BounceService, createBounceService } from './messaging/feedback/bounces.ts';
import { heldEverywhere } from './messaging/gate/held-summary.ts';
import { createMailboxService, type MailboxService } from './messaging/mailbox/service.ts';
import { createMessageService, type MessageService } from './messaging/messages/service.ts';
import { createMessaging, type Messaging } from './messaging/service.ts';
import { createSendingSettingsService, type SendingSettingsService } from './messaging/settings/service.ts';
import { createSmsService, type SmsService } from './messaging/sms/service.ts';
import { createSuppressionsService, type SuppressionsService } from './messaging/suppressions/service.ts';
import type { Suppressions } from './messaging/suppressions/suppressions.ts';
import { originOf } from './origin.ts';
import { createDeliveriesService, type DeliveriesService } from './outbox/endpoints/delivery-service.ts';
import { createEndpointsService, type EndpointsService } from './outbox/endpoints/service.ts';
import { createRefusalsService, type RefusalsService } from './outbox/refusals/service.ts';
import { createSafeFetch, type SafeFetch } from './outbox/safe-fetch.ts';
import { adminRoutes, commerceRoutes, marketingRoutes, personRoutes, registerPages } from './routes.ts';
import type { Worker } from './work/worker.ts';
import type { Wake } from './work/worker-names.ts';

/** All services of the program. Put together here and nowhere else; each handler, page and worker is given what it needs of it. */
export interface App extends CommerceServices {
  config: Readonly<Config>;
  clock: Clock;
  /** The clock when it can be put forward, else null. */
  testClock: MovableClock | null;
  /** The machine's own time, for what protects people and is no part of the shop's life: admin sessions. */
  machineClock: Clock;
  log: Logger;
  db: Db;
  masterKey: MasterKey;
  versions: CompanyVersions;
  authenticator: Authenticator;
  /** Of people, in the admin app. */
  sessions: AdminSessions;
  accounts: AccountsService;
  secondFactors: SecondFactorsService;
  members: MembersService;
  audit: AuditService;
  /** The OpenAPI document of the admin API, as JSON. */
  adminDocument: () => string;
  rateLimiter: RateLimiter;
  failedAttempts: FailedAttempts;
  /** Responses that are sent while they are read, of this process. */
  streams: StreamSlots;
  /** Two hashes at once in this process; companies take turns. */
  passwords: PasswordHasher;
  /** How each shop calculates. */
  shops: ShopCache;
  events: EventsService;
  flows: FlowsService;
  webhook: WebhookService;
  webhookEndpoints: EndpointsService;
  webhookDeliveries: DeliveriesService;
  refusals: RefusalsService;
  /** Requests to addresses that users give. */
  safeFetch: SafeFetch;
  contacts: ContactsService;
  campaigns: CampaignsService;
  messages: MessageService;
  mailbox: MailboxService;
  sendingSettings: SendingSettingsService;
  suppressionList: SuppressionsService;
  bounces: BounceService;
  sms: SmsService;
  /** Consent and preferences, as contacts change them on the public pages. */
  consent: ConsentService;
  lists: ListsService;
  forms: FormsService;
  segments: SegmentsService;
  templates: TemplatesService;
  messaging: Messaging;
  suppressions: Suppressions;
  erasures: ErasureService;
  /** Erasures, beside the database. */
  journalFile: JournalFile;
  /** The address under which people reach the public pages, without a slash at the end. */
  origin: () => string;
  /** The handlers of both APIs, and of the admin app's own: about the person and about a company. */
  routes: { commerce: Route[]; marketing: Route[]; person: Route[]; admin: Route[] };
  /** Made in every process, started only where the role says so. */
  workers: Worker[];
  /** Tells this process's worker of that name that something may be due; others find it by themselves. */
  wake: Wake;
}

export interface AppOptions {
  config: Readonly<Config>;
  clock: Clock;
  /** With --test-clock: the time of everything but the machine's own affairs. */
  testClock?: MovableClock;
  connection: ConnectionSettings;
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
    pino.destination(2),
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
