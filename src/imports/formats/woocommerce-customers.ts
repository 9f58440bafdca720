import { column, type Fields, type Format, withBillingAddress } from './format.ts';

/** The default CSV format of Customer/Order/Coupon Export, and the columns of WooCommerce Analytics → Customers. */
export const woocommerceCustomers: Format = {
  name: 'woocommerce-customers',
  title: 'WooCommerce customers',
  kind: 'customers',
  columns: [
    column('source_id', 'customer_id'),
    column('email', 'email', 'user_email'),
    column('billing_email', 'billing_email'),
    column('first_name', 'first_name'),
    column('last_name', 'last_name'),
    column('billing_first_name', 'billing_first_name'),
    column('billing_last_name', 'billing_last_name'),
    column('full_name', 'Name'),
    column('created_at', 'date_registered', 'Date registered', 'Sign up'),
    column('phone', 'billing_phone', 'Phone'),
    column('address', 'shipping_address_1'),
    column('address_2', 'shipping_address_2'),
    column('city', 'shipping_city', 'City'),
    column('state', 'shipping_state', 'Region'),
    column('zip', 'shipping_postcode', 'Postal code'),
    column('country', 'shipping_country', 'Country / Region'),
    column('billing_address', 'billing_address_1'),
    column('billing_address_2', 'billing_address_2'),
    column('billing_city', 'billing_city'),
    column('billing_state', 'billing_state'),
    column('billing_zip', 'billing_postcode'),
    column('billing_country', 'billing_country'),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...withBillingAddress(fields) };
    if (next.email === undefined && fields.billing_email !== undefined) next.email = fields.billing_email;
    if (fields.first_name !== undefined || fields.last_name !== undefined) return next;
    if (fields.billing_first_name !== undefined) next.first_name = fields.billing_first_name;
    if (fields.billing_last_name !== undefined) next.last_name = fields.billing_last_name;
    return next;
  },
};
