import type { Logger } from 'pino';
import type { NetworkLimiter } from './access/attempts/limiter.ts';
import type { Authenticator, KeyFinder } from './access/authenticator.ts';
import type { CompanyVersions } from './access/company-versions.ts';
import type { MasterKey } from './access/master-key.ts';
import type { PasswordHasher } from './access/passwords/passwords.ts';
import type { AdminSessions } from './access/sessions.ts';
import type { StoreHolder } from './access/store-holder.ts';
import type { AccountsService } from './admin/accounts/service.ts';
import type { ActivityService } from './admin/activity/service.ts';
import type { AuditService } from './admin/audit/service.ts';
import type { BulkService } from './admin/bulk/service.ts';
import type { CompaniesService } from './admin/companies/service.ts';
import type { HealthService } from './admin/health/service.ts';
import type { KeysService } from './admin/keys/service.ts';
import type { LiveService } from './admin/live/service.ts';
import type { MembersService } from './admin/members/service.ts';
import type { MarketingOverviewService } from './admin/overview/marketing/service.ts';
import type { OverviewService } from './admin/overview/service.ts';
import type { PasskeysService } from './admin/passkeys/service.ts';
import type { SearchService } from './admin/search/service.ts';
import type { SecondFactorsService } from './admin/second-factors/service.ts';
import type { ViewsService } from './admin/views/service.ts';
import type { WebhookSecretsService } from './admin/webhook-secrets/service.ts';
import type { Clock, MovableClock } from './clock.ts';
import type { CustomerAccountsService } from './commerce/customers/accounts/service.ts';
import type { Providers } from './commerce/payments/service.ts';
import type { MediaService } from './commerce/pictures/library/service.ts';
import type { PicturesService } from './commerce/pictures/service.ts';
import type { PictureStores } from './commerce/pictures/stores/store.ts';
import type { CommerceServices } from './commerce/services.ts';
import type { ShopCache } from './commerce/shop.ts';
import type { Config } from './config.ts';
import type { Db } from './db/pool.ts';
import type { JournalFile } from './erasure/journal-file.ts';
import type { ErasureService } from './erasure/service.ts';
import type { CompanyExportService } from './exports/service.ts';
import type { Route } from './http/api/endpoint.ts';
import type { RateLimiter } from './http/api/rate-limit.ts';
import type { ImportsService } from './imports/service.ts';
import type { CampaignsService } from './marketing/campaigns/service.ts';
import type { ContactsService } from './marketing/contacts/service.ts';
import type { EventsService } from './marketing/events/service.ts';
import type { FlowsService } from './marketing/flows/service.ts';
import type { FormsService } from './marketing/forms/service.ts';
import type { ListsService } from './marketing/lists/service.ts';
import type { SegmentsService } from './marketing/segments/service.ts';
import type { BrandKitService } from './marketing/templates/brand/service.ts';
import type { TemplatesService } from './marketing/templates/service.ts';
import type { WebhookService } from './marketing/webhook/service.ts';
import type { ConsentService } from './messaging/consent/service.ts';
import type { DeliverabilityService } from './messaging/deliverability/service.ts';
import type { BounceService } from './messaging/feedback/bounces.ts';
import type { MoveWatch } from './messaging/ledger/failover.ts';
import type { MailboxService } from './messaging/mailbox/service.ts';
import type { MessageService } from './messaging/messages/service.ts';
import type { SendingAccountsService } from './messaging/sending-accounts/service.ts';
import type { SendingDomainsService } from './messaging/sending-domains/service.ts';
import type { Messaging } from './messaging/service.ts';
import type { SendingSettingsService } from './messaging/settings/service.ts';
import type { SmsService } from './messaging/sms/service.ts';
import type { StaffNoticesService } from './messaging/staff-notices/service.ts';
import type { SuppressionsService } from './messaging/suppressions/service.ts';
import type { Suppressions } from './messaging/suppressions/suppressions.ts';
import type { SafeFetch } from './net/safe-fetch.ts';
import type { DeliveriesService } from './outbox/endpoints/delivery-service.ts';
import type { EndpointsService } from './outbox/endpoints/service.ts';
import type { RefusalsService } from './outbox/refusals/service.ts';
import type { RequestRecorder } from './request-log/recorder.ts';
import type { RequestLogService } from './request-log/service.ts';
import type { RetentionService } from './retention/service.ts';
import type { OwnDataService } from './store/accounts/service.ts';
import type { StoreCartsService } from './store/carts/service.ts';
import type { CatalogueService } from './store/catalogue/service.ts';
import type { StoreEventsService } from './store/events/service.ts';
import type { StoreKeysService } from './store/keys/service.ts';
import type { StoreOrdersService } from './store/orders/service.ts';
import type { Worker } from './work/worker.ts';
import type { Wake } from './work/worker-names.ts';

/** All services of the program, created by app.ts. Each handler, page and worker receives those that it needs. */
export interface App extends CommerceServices {
  passkeys: PasskeysService;
  views: ViewsService;
  staffNotices: StaffNoticesService;
  bulk: BulkService;
  pictures: PicturesService;
  media: MediaService;
  pictureStores: PictureStores;
  config: Readonly<Config>;
  clock: Clock;
  /** The clock if it can be advanced, else null. */
  testClock: MovableClock | null;
  /** The machine's own time, for what is not part of the shop's time: admin sessions, and signatures that others check or make. */
  machineClock: Clock;
  log: Logger;
  db: Db;
  masterKey: MasterKey;
  /** The code of payment services. */
  providers: Providers;
  versions: CompanyVersions;
  authenticator: Authenticator;
  /** Of people in the admin app. */
  sessions: AdminSessions;
  accounts: AccountsService;
  secondFactors: SecondFactorsService;
  members: MembersService;
  audit: AuditService;
  keys: KeysService;
  storeKeys: StoreKeysService;
  storeKeyFinder: KeyFinder<StoreHolder>;
  /** The catalogue as visitors of the shop see it. */
  catalogue: CatalogueService;
  storeCarts: StoreCartsService;
  storeOrders: StoreOrdersService;
  storeEvents: StoreEventsService;
  /** The accounts with which customers sign in to the store interface. */
  customerAccounts: CustomerAccountsService;
  /** What customers do there with their own data. */
  ownData: OwnDataService;
  webhookSecrets: WebhookSecretsService;
  /** The doctor's findings, for the owner of the installation. */
  health: HealthService;
  companies: CompaniesService;
  /** Notifies open pages of the admin app of changes, in this process. */
  live: LiveService;
  search: SearchService;
  overview: OverviewService;
  marketingOverview: MarketingOverviewService;
  activity: ActivityService;
  /** The OpenAPI document of the admin API, as JSON. */
  adminDocument: () => string;
  rateLimiter: RateLimiter;
  networkLimiter: NetworkLimiter;
  visitorLimiter: NetworkLimiter;
  /** Responses of this process that are read while they are sent. */
  /** Records the latest requests of API keys, and lists them. */
  requestLog: RequestRecorder & RequestLogService;
  /** Runs two hashes at once in this process; companies take turns. */
  passwords: PasswordHasher;
  /** By company, the settings that a shop calculates with. */
  shops: ShopCache;
  events: EventsService;
  flows: FlowsService;
  webhook: WebhookService;
  webhookEndpoints: EndpointsService;
  webhookDeliveries: DeliveriesService;
  refusals: RefusalsService;
  retention: RetentionService;
  companyExport: CompanyExportService;
  /** Sends requests to addresses that users entered. */
  safeFetch: SafeFetch;
  contacts: ContactsService;
  imports: ImportsService;
  campaigns: CampaignsService;
  messages: MessageService;
  /** Holds sending in a database that was restored, or has lost commits. */
  moveWatch: MoveWatch;
  mailbox: MailboxService;
  sendingSettings: SendingSettingsService;
  deliverability: DeliverabilityService;
  sendingAccounts: SendingAccountsService;
  sendingDomains: SendingDomainsService;
  suppressionList: SuppressionsService;
  bounces: BounceService;
  sms: SmsService;
  /** Consent and preferences, as contacts change them on the public pages. */
  consent: ConsentService;
  lists: ListsService;
  forms: FormsService;
  segments: SegmentsService;
  templates: TemplatesService;
  brandKit: BrandKitService;
  messaging: Messaging;
  suppressions: Suppressions;
  erasures: ErasureService;
  /** Records erasures outside of the database. */
  journalFile: JournalFile;
  /** The address under which people reach the public pages, without a slash at the end. */
  origin: () => string;
  /** The handlers of the APIs, and of the admin app's own API: about the person and about a company. */
  routes: { commerce: Route[]; marketing: Route[]; store: Route[]; person: Route[]; admin: Route[] };
  /** Created in every process, started only where the role includes them. */
  workers: Worker[];
  /** Wakes this process's worker of that name because something may be due; other processes find it by themselves. */
  wake: Wake;
}
