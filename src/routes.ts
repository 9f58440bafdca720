import type { FastifyInstance } from 'fastify';
import { accountRoutes } from './admin/accounts/http.ts';
import { activityRoutes } from './admin/activity/http.ts';
import { adminPages } from './admin/admin.ts';
import { auditRoutes } from './admin/audit/http.ts';
import { bulkRoutes } from './admin/bulk/http.ts';
import { companyRoutes } from './admin/companies/http.ts';
import { healthRoutes } from './admin/health/http.ts';
import { keyRoutes } from './admin/keys/http.ts';
import { memberRoutes } from './admin/members/http.ts';
import { overviewRoutes } from './admin/overview/http.ts';
import { passkeyRoutes } from './admin/passkeys/http.ts';
import { searchRoutes } from './admin/search/http.ts';
import { secondFactorRoutes } from './admin/second-factors/http.ts';
import { viewRoutes } from './admin/views/http.ts';
import { webhookSecretRoutes } from './admin/webhook-secrets/http.ts';
import { cartRoutes } from './commerce/carts/http.ts';
import { categoryRoutes } from './commerce/categories/http.ts';
import { collectionRoutes } from './commerce/collections/http.ts';
import { customFieldRoutes } from './commerce/custom-fields/http.ts';
import { customerRoutes } from './commerce/customers/http.ts';
import { inventoryRoutes } from './commerce/inventory/http.ts';
import { locationRoutes } from './commerce/inventory/locations/http.ts';
import { loyaltyRoutes } from './commerce/loyalty/http.ts';
import { noteRoutes } from './commerce/notes/http.ts';
import { orderRoutes } from './commerce/orders/http.ts';
import { paymentAccountRoutes } from './commerce/payments/accounts/http.ts';
import { paymentRoutes } from './commerce/payments/http.ts';
import { paymentMethodRoutes } from './commerce/payments/methods/http.ts';
import { payPages } from './commerce/payments/pay-pages.ts';
import { refundRoutes } from './commerce/payments/refunds/http.ts';
import { savedMethodRoutes } from './commerce/payments/saved/http.ts';
import { paymentWebhooks } from './commerce/payments/webhook-pages.ts';
import { pictureRoutes } from './commerce/pictures/http.ts';
import { mediaRoutes } from './commerce/pictures/library/http.ts';
import { picturePages } from './commerce/pictures/pages.ts';
import { productRoutes } from './commerce/products/http.ts';
import { couponRoutes } from './commerce/promotions/coupons/http.ts';
import { promotionRoutes } from './commerce/promotions/http.ts';
import { checkoutSettingsRoutes } from './commerce/settings/checkout/http.ts';
import { settingsRoutes } from './commerce/settings/http.ts';
import { shippingMethodRoutes } from './commerce/shipping/methods/http.ts';
import { shippingZoneRoutes } from './commerce/shipping/zones/http.ts';
import { frequencyRoutes } from './commerce/subscriptions/frequencies/http.ts';
import { subscriptionRoutes } from './commerce/subscriptions/http.ts';
import { taxRoutes } from './commerce/taxes/http.ts';
import { demoPages } from './demo/pages.ts';
import { exportRoutes } from './exports/http.ts';
import type { Route } from './http/api/endpoint.ts';
import { referencePages } from './http/openapi/reference-pages.ts';
import { guidePages } from './http/pages/guide.ts';
import { healthPages } from './http/pages/health.ts';
import { metricsPage } from './http/pages/metrics.ts';
import { securityTextPage } from './http/pages/security-txt.ts';
import { testClockPage } from './http/pages/test-clock.ts';
import { importRoutes } from './imports/http.ts';
import { campaignRoutes, recipientRoutes } from './marketing/campaigns/http.ts';
import { contactsRoutes } from './marketing/contacts/http.ts';
import { eventRoutes } from './marketing/events/http.ts';
import { flowRoutes } from './marketing/flows/http.ts';
import { formRoutes } from './marketing/forms/http.ts';
import { formPages } from './marketing/forms/public/public-pages.ts';
import { listRoutes } from './marketing/lists/http.ts';
import { reportRoutes } from './marketing/reports/http.ts';
import { segmentRoutes } from './marketing/segments/http.ts';
import { brandKitRoutes } from './marketing/templates/brand/http.ts';
import { templateRoutes } from './marketing/templates/http.ts';
import { webhookRoutes } from './marketing/webhook/http.ts';
import { addressCheckRoutes } from './messaging/address-checks/http.ts';
import { messagingPages } from './messaging/consent/public-pages.ts';
import { deliverabilityRoutes } from './messaging/deliverability/http.ts';
import { bounceRoutes } from './messaging/feedback/http.ts';
import { mailboxRoutes } from './messaging/mailbox/http.ts';
import { messageRoutes } from './messaging/messages/http.ts';
import { sendingAccountRoutes } from './messaging/sending-accounts/http.ts';
import { sendingDomainRoutes } from './messaging/sending-domains/http.ts';
import { certificatePage, readyPage } from './messaging/sending-domains/tracking-host/pages.ts';
import { sendingSettingsRoutes } from './messaging/settings/http.ts';
import { smsRoutes } from './messaging/sms/http.ts';
import { staffNoticeRoutes } from './messaging/staff-notices/http.ts';
import { suppressionRoutes } from './messaging/suppressions/http.ts';
import { webhookEndpointRoutes } from './outbox/endpoints/http.ts';
import { outboxRefusalRoutes } from './outbox/refusals/http.ts';
import { requestLogRoutes } from './request-log/http.ts';
import { retentionRoutes } from './retention/http.ts';
import { accountRoutes as storeAccountRoutes } from './store/accounts/http.ts';
import { storeCartRoutes } from './store/carts/http.ts';
import { catalogueRoutes } from './store/catalogue/http.ts';
import { storeEventRoutes } from './store/events/http.ts';
import { storeKeyRoutes } from './store/keys/http.ts';
import { storeOrderRoutes } from './store/orders/http.ts';
import { storePasskeyRoutes } from './store/passkeys/http.ts';

/** The table of contents: the handlers of the APIs, grouped by resource. */
const commerce = [
  productRoutes,
  categoryRoutes,
  collectionRoutes,
  customFieldRoutes,
  customerRoutes,
  loyaltyRoutes,
  cartRoutes,
  orderRoutes,
  noteRoutes,
  frequencyRoutes,
  subscriptionRoutes,
  promotionRoutes,
  couponRoutes,
  settingsRoutes,
  checkoutSettingsRoutes,
  shippingZoneRoutes,
  shippingMethodRoutes,
  paymentMethodRoutes,
  paymentRoutes,
  refundRoutes,
  savedMethodRoutes,
  locationRoutes,
  inventoryRoutes,
  taxRoutes,
  mediaRoutes,
  importRoutes,
] as const;

const marketing = [
  webhookEndpointRoutes,
  outboxRefusalRoutes,
  contactsRoutes,
  listRoutes,
  formRoutes,
  segmentRoutes,
  eventRoutes,
  webhookRoutes,
  flowRoutes,
  messageRoutes,
  mailboxRoutes,
  sendingSettingsRoutes,
  sendingDomainRoutes,
  deliverabilityRoutes,
  sendingAccountRoutes,
  suppressionRoutes,
  bounceRoutes,
  smsRoutes,
  templateRoutes,
  brandKitRoutes,
  campaignRoutes,
  reportRoutes,
  retentionRoutes,
] as const;

const store = [
  catalogueRoutes,
  storeCartRoutes,
  storeOrderRoutes,
  storeEventRoutes,
  storeAccountRoutes,
  storePasskeyRoutes,
] as const;

/** Requested only by the admin app: handlers about the signed-in person, and about one company. */
const person = [accountRoutes, secondFactorRoutes, passkeyRoutes, healthRoutes, companyRoutes] as const;

const admin = [
  overviewRoutes,
  activityRoutes,
  pictureRoutes,
  searchRoutes,
  memberRoutes,
  keyRoutes,
  storeKeyRoutes,
  paymentAccountRoutes,
  webhookSecretRoutes,
  requestLogRoutes,
  auditRoutes,
  viewRoutes,
  staffNoticeRoutes,
  bulkRoutes,
  recipientRoutes,
  addressCheckRoutes,
  exportRoutes,
] as const;

/** Registered in addition to the two APIs: pages for people, and what is needed to operate the server. */
const pages = [
  healthPages,
  metricsPage,
  referencePages,
  guidePages,
  adminPages,
  testClockPage,
  securityTextPage,
  demoPages,
  picturePages,
  messagingPages,
  certificatePage,
  readyPage,
  formPages,
  payPages,
  paymentWebhooks,
] as const;

/** The services that all functions of a list need together. */
type Needs<Makers> = Makers extends readonly ((services: infer Services) => unknown)[] ? Services : never;
type PageNeeds<Makers> = Makers extends readonly ((server: FastifyInstance, services: infer Services) => unknown)[]
  ? Services
  : never;

export function commerceRoutes(services: Needs<typeof commerce>): Route[] {
  return commerce.flatMap((routes) => routes(services));
}

export function marketingRoutes(services: Needs<typeof marketing>): Route[] {
  return marketing.flatMap((routes) => routes(services));
}

export function storeRoutes(services: Needs<typeof store>): Route[] {
  return store.flatMap((routes) => routes(services));
}

export function personRoutes(services: Needs<typeof person>): Route[] {
  return person.flatMap((routes) => routes(services));
}

export function adminRoutes(services: Needs<typeof admin>): Route[] {
  return admin.flatMap((routes) => routes(services));
}

export function registerPages(server: FastifyInstance, services: PageNeeds<typeof pages>): void {
  for (const register of pages) register(server, services);
}
