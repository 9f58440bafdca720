import { plainGroup, ruleTree } from '../../rules/schema.ts';

/** The shape of rules on events and contacts. */
export const RuleTree = ruleTree({
  within_days: {
    description: 'With counts, amounts and what was bought: what happened in the last so many days; a number',
  },
  where: plainGroup(
    'With `events.…` and `purchases.…`, except `purchases.net`: only events whose data are so, in rules {field, comparison, value} or groups of such. Fields are paths in the data; over an array any element counts.',
  ),
});

/** The fields of rules that are not in the contact's record, for the descriptions of endpoints. */
export const HISTORY_FIELDS =
  '`custom.KEY` (a custom field of the customer that the contact is), `events.TYPE`, `purchases` (of `order_placed`) and `messages.received`, `messages.opened`, `messages.clicked`, each with `.count`, `.first_at`, `.last_at`, `.days_since_first` and `.days_since_last`; of purchases also `.total`, `.net` (less what was given back), `.days_between`, `.next_expected_at`, `.days_until_next` (by the mean time between orders) and `.rfm.recency`, `.rfm.frequency`, `.rfm.monetary` (1 to 5), `.rfm.class`; and what was bought: `purchases.product_ids` (a product with variants for any of them), `purchases.collection_ids` (by their products at the moment), `purchases.categories` and `purchases.skus`';
