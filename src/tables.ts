import { accessTables } from './access/tables.ts';
import { adminTables } from './admin/tables.ts';
import { commerceCartsTables } from './commerce/carts/tables.ts';
import { commerceCategoriesTables } from './commerce/categories/tables.ts';
import { commerceCollectionsTables } from './commerce/collections/tables.ts';
import { commerceCustomFieldsTables } from './commerce/custom-fields/tables.ts';
import { customerAccountTables } from './commerce/customers/accounts/tables.ts';
import { commerceCustomersTables } from './commerce/customers/tables.ts';
import { commerceInventoryTables } from './commerce/inventory/tables.ts';
import { commerceLoyaltyTables } from './commerce/loyalty/tables.ts';
import { commerceNotesTables } from './commerce/notes/tables.ts';
import { commerceOrdersTables } from './commerce/orders/tables.ts';
import { commercePaymentTables } from './commerce/payments/tables.ts';
import { commercePicturesTables } from './commerce/pictures/tables.ts';
import { commerceProductsTables } from './commerce/products/tables.ts';
import { commercePromotionsTables } from './commerce/promotions/tables.ts';
import { commerceRecommendationsTables } from './commerce/recommendations/tables.ts';
import { commerceSalesTables } from './commerce/sales/tables.ts';
import { commerceShippingTables } from './commerce/shipping/tables.ts';
import { commerceSubscriptionsTables } from './commerce/subscriptions/tables.ts';
import { commerceTaxesTables } from './commerce/taxes/queries.ts';
import type { Table } from './db/table.ts';
import { dbTables } from './db/tables.ts';
import { erasureTables } from './erasure/tables.ts';
import { importsTables } from './imports/tables.ts';
import { marketingCampaignsTables } from './marketing/campaigns/tables.ts';
import { marketingContactsTables } from './marketing/contacts/tables.ts';
import { marketingEventsTables } from './marketing/events/tables.ts';
import { marketingFlowsTables } from './marketing/flows/tables.ts';
import { marketingFormsTables } from './marketing/forms/tables.ts';
import { marketingListsTables } from './marketing/lists/tables.ts';
import { marketingSegmentsTables } from './marketing/segments/tables.ts';
import { marketingTemplatesTables } from './marketing/templates/tables.ts';
import { marketingWebhookTables } from './marketing/webhook/tables.ts';
import { messagingTables } from './messaging/tables.ts';
import { outboxTables } from './outbox/tables.ts';
import { requestLogTables } from './request-log/tables.ts';
import { retentionTables } from './retention/tables.ts';
import { storeKeyTables } from './store/keys/tables.ts';

/** All tables, in the order of their folders. */
export const TABLES: readonly Table[] = [
  ...accessTables,
  ...adminTables,
  ...commerceCartsTables,
  ...commerceCategoriesTables,
  ...commerceCollectionsTables,
  ...commerceCustomFieldsTables,
  ...commerceCustomersTables,
  ...customerAccountTables,
  ...commerceInventoryTables,
  ...commerceLoyaltyTables,
  ...commerceNotesTables,
  ...commerceOrdersTables,
  ...commercePicturesTables,
  ...commerceProductsTables,
  ...commercePromotionsTables,
  ...commerceRecommendationsTables,
  ...commerceSalesTables,
  ...commerceShippingTables,
  ...commercePaymentTables,
  ...commerceSubscriptionsTables,
  ...commerceTaxesTables,
  ...dbTables,
  ...erasureTables,
  ...importsTables,
  ...marketingCampaignsTables,
  ...marketingContactsTables,
  ...marketingEventsTables,
  ...marketingFlowsTables,
  ...marketingFormsTables,
  ...marketingListsTables,
  ...marketingSegmentsTables,
  ...marketingTemplatesTables,
  ...marketingWebhookTables,
  ...messagingTables,
  ...outboxTables,
  ...requestLogTables,
  ...retentionTables,
  ...storeKeyTables,
];

const BY_NAME = new Map(TABLES.map((table) => [table.name, table]));

/** Throws if the table is not declared. */
export function tableNamed(name: string): Table {
  const table = BY_NAME.get(name);
  if (table === undefined)
    throw new Error(`The table ${name} is not declared: add it to tables.ts in the folder that writes it`);
  return table;
}
