import { column, type Fields, type Format } from './format.ts';

/** Customers → Export. */
export const shopifyCustomers: Format = {
  name: 'shopify-customers',
  title: 'Shopify customers',
  kind: 'customers',
  separator: 'point',
  columns: [
    column('email', 'Email'),
    column('first_name', 'First Name'),
    column('last_name', 'Last Name'),
    column('phone', 'Phone'),
    column('address_phone', 'Default Address Phone'),
    column('email_consent', 'Accepts Email Marketing', 'Accepts Marketing'),
    column('sms_consent', 'Accepts SMS Marketing'),
    column('address', 'Default Address Address1', 'Address1'),
    column('address_2', 'Default Address Address2', 'Address2'),
    column('city', 'Default Address City', 'City'),
    column('state', 'Default Address Province Code', 'Province Code'),
    column('zip', 'Default Address Zip', 'Zip'),
    column('country', 'Default Address Country Code', 'Country Code'),
    column('tags', 'Tags'),
    column('note', 'Note'),
    column('source_id', 'Customer ID'),
  ],
  read(fields: Fields): Fields {
    const phone = fields.phone ?? fields.address_phone;
    return phone === undefined ? fields : { ...fields, phone };
  },
};
