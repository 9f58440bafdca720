import { declareTables } from '../../db/table.ts';

export const commercePromotionsTables = declareTables('commerce/promotions', {
  promo_codes: {
    description: 'A promo code or a coupon, with the number of its uses.',
    audit: { 'promo-codes': { noun: 'promo_code', about: 'nobody' } },
  },
  message_coupons: {
    description: 'A coupon in a message. A message that is composed again contains the same one.',
    references: { message_id: 'goes' },
  },
});
