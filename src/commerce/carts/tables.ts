import { declareTables } from '../../db/table.ts';

/** What an erasure leaves of a cart; also of a guest's, which has no customer. */
export const EMPTIED_CART = {
  emptyBy: 'customer_id',
  set: {
    status: "case when status = 'open' then 'cancelled' else status end",
    email: 'null',
    first_name: "''",
    last_name: "''",
    phone: 'null',
    shipping_address: "''",
    shipping_city: "''",
    shipping_zip: "''",
    billing: 'null',
    metadata: "'{}'",
    custom: "'{}'",
    note: 'null',
    lines: `(select coalesce(jsonb_agg(line || '{"override_reason": null}'), '[]') from jsonb_array_elements(lines) line)`,
  },
  rowsPerSlice: 200,
} as const;

export const commerceCartsTables = declareTables('commerce/carts', {
  carts: {
    description: 'The products that somebody intends to buy, until an order is placed from it.',
    references: { customer_id: 'kept' },
    retention: { kind: 'carts', createdAt: 'created_at', finished: { at: 'updated_at', when: "status <> 'paying'" } },
    erasure: EMPTIED_CART,
    audit: { carts: { noun: 'cart', about: 'customer_id' } },
  },
});
