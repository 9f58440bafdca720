import { accountEndpoints } from './admin/accounts/contract.ts';
import { activityEndpoints } from './admin/activity/contract.ts';
import { auditEndpoints } from './admin/audit/contract.ts';
import { bulkEndpoints } from './admin/bulk/contract.ts';
import { companyEndpoints } from './admin/companies/contract.ts';
import { healthEndpoints } from './admin/health/contract.ts';
import { keyEndpoints } from './admin/keys/contract.ts';
import { memberEndpoints } from './admin/members/contract.ts';
import { overviewEndpoints } from './admin/overview/contract.ts';
import { passkeyEndpoints } from './admin/passkeys/contract.ts';
import { searchEndpoints } from './admin/search/contract.ts';
import { secondFactorEndpoints } from './admin/second-factors/contract.ts';
import { viewEndpoints } from './admin/views/contract.ts';
import { webhookSecretEndpoints } from './admin/webhook-secrets/contract.ts';
import { cartEndpoints } from './commerce/carts/contract.ts';
import { categoryEndpoints } from './commerce/categories/contract.ts';
import { collectionEndpoints } from './commerce/collections/contract.ts';
import { customFieldEndpoints } from './commerce/custom-fields/contract.ts';
import { customerEndpoints } from './commerce/customers/contract.ts';
import { stockDocumentEndpoints } from './commerce/inventory/documents/contract.ts';
import { locationEndpoints } from './commerce/inventory/locations/contract.ts';
import { inventoryEndpoints } from './commerce/inventory/overview/contract.ts';
import { loyaltyEndpoints } from './commerce/loyalty/contract.ts';
import { noteEndpoints } from './commerce/notes/contract.ts';
import { orderEndpoints } from './commerce/orders/contract.ts';
import { paymentAccountEndpoints } from './commerce/payments/accounts/contract.ts';
import { paymentEndpoints } from './commerce/payments/contract.ts';
import { paymentMethodEndpoints } from './commerce/payments/methods/contract.ts';
import { refundEndpoints } from './commerce/payments/refunds/contract.ts';
import { savedMethodEndpoints } from './commerce/payments/saved/contract.ts';
import { pictureEndpoints } from './commerce/pictures/contract.ts';
import { mediaEndpoints } from './commerce/pictures/library/contract.ts';
import { productEndpoints } from './commerce/products/contract.ts';
import { productHistoryEndpoints } from './commerce/products/history-contract.ts';
import { relatedEndpoints } from './commerce/products/related/contract.ts';
import { variantEndpoints } from './commerce/products/variants/contract.ts';
import { promotionEndpoints } from './commerce/promotions/contract.ts';
import { couponEndpoints } from './commerce/promotions/coupons/contract.ts';
import { checkoutSettingsEndpoints } from './commerce/settings/checkout/contract.ts';
import { settingsEndpoints } from './commerce/settings/contract.ts';
import { shippingMethodEndpoints } from './commerce/shipping/methods/contract.ts';
import { shippingZoneEndpoints } from './commerce/shipping/zones/contract.ts';
import { subscriptionEndpoints } from './commerce/subscriptions/contract.ts';
import { taxEndpoints } from './commerce/taxes/contract.ts';
import { exportEndpoints } from './exports/contract.ts';
import type { Endpoint } from './http/api/endpoint.ts';
import type { Webhook } from './http/openapi/webhooks.ts';
import { importEndpoints } from './imports/contract.ts';
import { campaignEndpoints } from './marketing/campaigns/contract.ts';
import { recipientsEndpoints } from './marketing/campaigns/recipients/contract.ts';
import { contactsEndpoints } from './marketing/contacts/contract.ts';
import { eventEndpoints } from './marketing/events/contract.ts';
import { flowEndpoints } from './marketing/flows/contract.ts';
import { formEndpoints } from './marketing/forms/contract.ts';
import { listEndpoints } from './marketing/lists/contract.ts';
import { reportEndpoints } from './marketing/reports/contract.ts';
import { segmentEndpoints } from './marketing/segments/contract.ts';
import { brandKitEndpoints } from './marketing/templates/brand/contract.ts';
import { templateEndpoints } from './marketing/templates/contract.ts';
import { webhookEndpoints } from './marketing/webhook/contract.ts';
import { addressCheckEndpoints } from './messaging/address-checks/contract.ts';
import { deliverabilityEndpoints } from './messaging/deliverability/contract.ts';
import { bounceEndpoints } from './messaging/feedback/contract.ts';
import { mailboxEndpoints } from './messaging/mailbox/contract.ts';
import { messageEndpoints } from './messaging/messages/contract.ts';
import { sendingAccountEndpoints } from './messaging/sending-accounts/contract.ts';
import { sendingDomainEndpoints } from './messaging/sending-domains/contract.ts';
import { sendingSettingsEndpoints } from './messaging/settings/contract.ts';
import { smsEndpoints } from './messaging/sms/contract.ts';
import { staffNoticeEndpoints } from './messaging/staff-notices/contract.ts';
import { suppressionEndpoints } from './messaging/suppressions/contract.ts';
import { webhookEndpointEndpoints } from './outbox/endpoints/contract.ts';
import { webhookDeliveryEndpoints } from './outbox/endpoints/delivery-contract.ts';
import { endpointWebhooks } from './outbox/endpoints/webhooks/contract.ts';
import { outboxRefusalEndpoints } from './outbox/refusals/contract.ts';
import { requestLogEndpoints } from './request-log/contract.ts';
import { retentionEndpoints } from './retention/contract.ts';
import { storeAccountEndpoints } from './store/accounts/contract.ts';
import { storeCartEndpoints } from './store/carts/contract.ts';
import { catalogueEndpoints } from './store/catalogue/contract.ts';
import { storeEventEndpoints } from './store/events/contract.ts';
import { storeKeyEndpoints } from './store/keys/contract.ts';
import { storeOrderEndpoints } from './store/orders/contract.ts';
import { storePasskeyEndpoints } from './store/passkeys/contract.ts';

/** Every endpoint of the APIs, grouped by resource: what the API reference shows, in its order. */
export const commerceEndpoints: readonly Endpoint[] = [
  ...productEndpoints,
  ...variantEndpoints,
  ...categoryEndpoints,
  ...collectionEndpoints,
  ...customFieldEndpoints,
  ...relatedEndpoints,
  ...productHistoryEndpoints,
  ...locationEndpoints,
  ...inventoryEndpoints,
  ...stockDocumentEndpoints,
  ...customerEndpoints,
  ...loyaltyEndpoints,
  ...orderEndpoints,
  ...cartEndpoints,
  ...noteEndpoints,
  ...subscriptionEndpoints,
  ...promotionEndpoints,
  ...couponEndpoints,
  ...settingsEndpoints,
  ...checkoutSettingsEndpoints,
  ...shippingZoneEndpoints,
  ...shippingMethodEndpoints,
  ...paymentMethodEndpoints,
  ...paymentEndpoints,
  ...refundEndpoints,
  ...savedMethodEndpoints,
  ...taxEndpoints,
  ...mediaEndpoints,
  ...importEndpoints,
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
  ...sendingDomainEndpoints,
  ...deliverabilityEndpoints,
  ...sendingAccountEndpoints,
  ...suppressionEndpoints,
  ...bounceEndpoints,
  ...smsEndpoints,
  ...templateEndpoints,
  ...brandKitEndpoints,
  ...campaignEndpoints,
  ...reportEndpoints,
  ...retentionEndpoints,
];

/** The store interface, for the browsers and apps of shoppers. */
export const storeEndpoints: readonly Endpoint[] = [
  ...catalogueEndpoints,
  ...storeCartEndpoints,
  ...storeOrderEndpoints,
  ...storeEventEndpoints,
  ...storeAccountEndpoints,
  ...storePasskeyEndpoints,
];

/** What the program sends to companies' endpoints, which are registered with the marketing API. */
export const marketingWebhooks: readonly Webhook[] = endpointWebhooks;

/** Requested only by the admin app: endpoints of the signed-in person, and of one company. */
export const personEndpoints: readonly Endpoint[] = [
  ...accountEndpoints,
  ...secondFactorEndpoints,
  ...passkeyEndpoints,
  ...healthEndpoints,
  ...companyEndpoints,
];

export const adminEndpoints: readonly Endpoint[] = [
  ...overviewEndpoints,
  ...activityEndpoints,
  ...pictureEndpoints,
  ...searchEndpoints,
  ...memberEndpoints,
  ...keyEndpoints,
  ...storeKeyEndpoints,
  ...paymentAccountEndpoints,
  ...webhookSecretEndpoints,
  ...requestLogEndpoints,
  ...auditEndpoints,
  ...viewEndpoints,
  ...staffNoticeEndpoints,
  ...bulkEndpoints,
  ...recipientsEndpoints,
  ...addressCheckEndpoints,
  ...exportEndpoints,
];
