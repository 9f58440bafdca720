import { accountEndpoints } from './admin/accounts/contract.ts';
import { auditEndpoints } from './admin/audit/contract.ts';
import { memberEndpoints } from './admin/members/contract.ts';
import { secondFactorEndpoints } from './admin/second-factors/contract.ts';
import { customerEndpoints } from './commerce/customers/contract.ts';
import { loyaltyEndpoints } from './commerce/loyalty/contract.ts';
import { orderEndpoints } from './commerce/orders/contract.ts';
import { productEndpoints } from './commerce/products/contract.ts';
import { promotionEndpoints } from './commerce/promotions/contract.ts';
import { settingsEndpoints } from './commerce/settings/contract.ts';
import { shippingMethodEndpoints } from './commerce/shipping/methods/contract.ts';
import { shippingZoneEndpoints } from './commerce/shipping/zones/contract.ts';
import { subscriptionEndpoints } from './commerce/subscriptions/contract.ts';
import { taxEndpoints } from './commerce/taxes/contract.ts';
import type { Endpoint } from './http/api/endpoint.ts';
import type { Webhook } from './http/openapi/webhooks.ts';
import { campaignEndpoints } from './marketing/campaigns/contract.ts';
import { contactsEndpoints } from './marketing/contacts/contract.ts';
import { eventEndpoints } from './marketing/events/contract.ts';
import { flowEndpoints } from './marketing/flows/contract.ts';
import { formEndpoints } from './marketing/forms/contract.ts';
import { listEndpoints } from './marketing/lists/contract.ts';
import { segmentEndpoints } from './marketing/segments/contract.ts';
import { templateEndpoints } from './marketing/templates/contract.ts';
import { webhookEndpoints } from './marketing/webhook/contract.ts';
import { bounceEndpoints } from './messaging/feedback/contract.ts';
import { mailboxEndpoints } from './messaging/mailbox/contract.ts';
import { messageEndpoints } from './messaging/messages/contract.ts';
import { sendingSettingsEndpoints } from './messaging/settings/contract.ts';
import { smsEndpoints } from './messaging/sms/contract.ts';
import { suppressionEndpoints } from './messaging/suppressions/contract.ts';
import { webhookEndpointEndpoints } from './outbox/endpoints/contract.ts';
import { webhookDeliveryEndpoints } from './outbox/endpoints/delivery-contract.ts';
import { endpointWebhooks } from './outbox/endpoints/webhooks/contract.ts';
import { outboxRefusalEndpoints } from './outbox/refusals/contract.ts';

/** Every endpoint of both APIs, grouped by resource: what the API reference shows, in its order. */
export const commerceEndpoints: readonly Endpoint[] = [
  ...productEndpoints,
  ...customerEndpoints,
  ...loyaltyEndpoints,
  ...orderEndpoints,
  ...subscriptionEndpoints,
  ...promotionEndpoints,
  ...settingsEndpoints,
  ...shippingZoneEndpoints,
  ...shippingMethodEndpoints,
  ...taxEndpoints,
];

export const marketingEndpoints: readonly Endpoint[] = [
  ...webhookEndpointEndpoints,
  ...webhookDeliveryEndpoints,
  ...outboxRefusalEndpoints,
  ...contactsEndpoints,
  ...listEndpoints,
  ...formEndpoints,
  ...segmentEndpoints,
  ...eventEndpoints,
  ...webhookEndpoints,
  ...flowEndpoints,
  ...messageEndpoints,
  ...mailboxEndpoints,
  ...sendingSettingsEndpoints,
  ...suppressionEndpoints,
  ...bounceEndpoints,
  ...smsEndpoints,
  ...templateEndpoints,
  ...campaignEndpoints,
];

/** What the program sends to companies' endpoints, which they register by the marketing API. */
export const marketingWebhooks: readonly Webhook[] = endpointWebhooks;

/** What only the admin app asks for: of the person who is signed in, and of one company. */
export const personEndpoints: readonly Endpoint[] = [...accountEndpoints, ...secondFactorEndpoints];

export const adminEndpoints: readonly Endpoint[] = [...memberEndpoints, ...auditEndpoints];
