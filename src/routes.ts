import type { FastifyInstance } from 'fastify';
import type { App } from './app.ts';
import { customerRoutes } from './commerce/customers/http.ts';
import { loyaltyRoutes } from './commerce/loyalty/http.ts';
import { orderRoutes } from './commerce/orders/http.ts';
import { productRoutes } from './commerce/products/http.ts';
import { promotionRoutes } from './commerce/promotions/http.ts';
import { settingsRoutes } from './commerce/settings/http.ts';
import { shippingRoutes } from './commerce/shipping/http.ts';
import { subscriptionRoutes } from './commerce/subscriptions/http.ts';
import { taxRoutes } from './commerce/taxes/http.ts';
import { demoPages } from './demo/pages.ts';
import { adminPages } from './http/admin.ts';
import type { Route } from './http/endpoint.ts';
import { healthPages } from './http/health.ts';
import { metricsPage } from './http/metrics.ts';
import { referencePages } from './http/reference-pages.ts';
import { testClockPage } from './http/test-clock.ts';
import { campaignRoutes } from './marketing/campaigns/http.ts';
import { contactsRoutes } from './marketing/contacts/http.ts';
import { eventRoutes } from './marketing/events/http.ts';
import { flowRoutes } from './marketing/flows/http.ts';
import { formRoutes } from './marketing/forms/http.ts';
import { formPages } from './marketing/forms/public/public-pages.ts';
import { listRoutes } from './marketing/lists/http.ts';
import { segmentRoutes } from './marketing/segments/http.ts';
import { templateRoutes } from './marketing/templates/http.ts';
import { webhookRoutes } from './marketing/webhook/http.ts';
import { messagingRoutes } from './messaging/http.ts';
import { messagingPages } from './messaging/public-pages.ts';
import { smsRoutes } from './messaging/sms/http.ts';
import { webhookEndpointRoutes } from './outbox/endpoints/http.ts';
import { outboxRefusalRoutes } from './outbox/refusals/http.ts';

/** The table of contents: every endpoint of both interfaces, grouped by resource. */
export const commerceRoutes: Route[] = [
  ...productRoutes,
  ...customerRoutes,
  ...loyaltyRoutes,
  ...orderRoutes,
  ...subscriptionRoutes,
  ...promotionRoutes,
  ...settingsRoutes,
  ...shippingRoutes,
  ...taxRoutes,
];

export const marketingRoutes: Route[] = [
  ...webhookEndpointRoutes,
  ...outboxRefusalRoutes,
  ...contactsRoutes,
  ...listRoutes,
  ...formRoutes,
  ...segmentRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...flowRoutes,
  ...messagingRoutes,
  ...smsRoutes,
  ...templateRoutes,
  ...campaignRoutes,
];

/** What is registered beside the two interfaces: pages for people, and what operates the server. */
export const pages: ((server: FastifyInstance, app: App) => void)[] = [
  healthPages,
  metricsPage,
  referencePages({ commerce: commerceRoutes, marketing: marketingRoutes }),
  adminPages,
  testClockPage,
  demoPages,
  messagingPages,
  formPages,
];
