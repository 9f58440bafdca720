import { column, type Fields, type Format } from './format.ts';

/** The default CSV format of Customer/Order/Coupon Export, and the columns of WooCommerce Analytics → Customers. */
export const woocommerceCustomers: Format = {
  name: 'woocommerce-customers',
  title: 'WooCommerce customers',
  kind: 'customers',
  columns: [
    column('source_id', 'customer_id'),
    column('email', 'email', 'user_email'),
    column('billing_email', 'billing_email'),
    column('first_name', 'first_name', 'billing_first_name'),
    column('last_name', 'last_name', 'billing_last_name'),
    column('full_name', 'Name'),
    column('created_at', 'date_registered', 'Date registered', 'Sign up'),
    column('phone', 'billing_phone', 'Phone'),
    column('address', 'shipping_address_1', 'billing_address_1'),
    column('address_2', 'shipping_address_2', 'billing_address_2'),
    column('city', 'shipping_city', 'billing_city', 'City'),
    column('state', 'shipping_state', 'billing_state', 'Region'),
    column('zip', 'shipping_postcode', 'billing_postcode', 'Postal code'),
    column('country', 'shipping_country', 'billing_country', 'Country / Region'),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    if (next.email === undefined && fields.billing_email !== undefined) next.email = fields.billing_email;
    return next;
  },
};
