import { column, type Format } from './format.ts';
import { withConsents } from './json-cells.ts';

/** Files from anywhere. The headers are common names for such columns; the mapping can be corrected. */

export const csvContacts: Format = {
  name: 'csv-contacts',
  title: 'Contacts (CSV)',
  kind: 'contacts',
  columns: [
    column('email', 'email', 'e-mail', 'mail', 'email address', 'e-mail address', 'E-Mail-Adresse'),
    column('phone', 'phone', 'phone number', 'mobile', 'telephone', 'Telefon', 'Handy'),
    column('first_name', 'first name', 'given name', 'forename', 'Vorname'),
    column('last_name', 'last name', 'surname', 'family name', 'Nachname'),
    column('external_id', 'external id', 'customer id'),
    column('tags', 'tags', 'tag', 'labels'),
    column('source', 'source'),
    column('email_consent', 'email consent', 'consent', 'subscribed', 'newsletter', 'opt in', 'status'),
    column('sms_consent', 'sms consent'),
    column('consent_at', 'consent at', 'subscribed at', 'opt in time'),
    column('consent_ip', 'consent ip', 'opt in ip'),
  ],
  read: withConsents,
};

export const csvCustomers: Format = {
  name: 'csv-customers',
  title: 'Customers (CSV)',
  kind: 'customers',
  columns: [
    column('email', 'email', 'e-mail', 'mail', 'email address', 'e-mail address', 'E-Mail-Adresse'),
    column('first_name', 'first name', 'given name', 'Vorname'),
    column('last_name', 'last name', 'surname', 'family name', 'Nachname'),
    column('full_name', 'name', 'full name', 'customer'),
    column('phone', 'phone', 'phone number', 'mobile', 'telephone', 'Telefon'),
    column('address', 'address', 'street', 'shipping address', 'Straße'),
    column('city', 'city', 'town', 'shipping city', 'Ort', 'Stadt'),
    column('state', 'state', 'province', 'shipping state'),
    column('zip', 'zip', 'postal code', 'postcode', 'shipping zip', 'PLZ'),
    column('country', 'country', 'shipping country', 'Land'),
    column('email_consent', 'accepts marketing', 'newsletter', 'consent', 'opt in'),
    column('created_at', 'created at', 'registered at'),
  ],
};

export const csvProducts: Format = {
  name: 'csv-products',
  title: 'Products (CSV)',
  kind: 'products',
  columns: [
    column('name', 'name', 'title', 'product', 'product name', 'Bezeichnung'),
    column('sku', 'sku', 'article number', 'item number', 'Artikelnummer'),
    column('slug', 'slug', 'handle'),
    column('price', 'price', 'unit price', 'Preis'),
    column('stock', 'stock', 'stock qty', 'quantity', 'inventory', 'Bestand'),
    column('description', 'description', 'Beschreibung'),
    column('categories', 'categories', 'category', 'Kategorie', 'Kategorien'),
    column('images', 'images', 'image', 'image url'),
    column('tax_class', 'tax class'),
    column('archived', 'archived'),
  ],
};

export const csvOrders: Format = {
  name: 'csv-orders',
  title: 'Orders (CSV)',
  kind: 'orders',
  groupBy: 'number',
  columns: [
    column('number', 'order number', 'number', 'order', 'order id', 'external id', 'Bestellnummer'),
    column('email', 'email', 'e-mail', 'customer email', 'E-Mail-Adresse'),
    column('status', 'status'),
    column('created_at', 'created at', 'date', 'order date', 'Datum'),
    column('currency', 'currency'),
    column('total', 'total', 'order total', 'Gesamtbetrag'),
    column('tax', 'tax', 'taxes', 'tax total'),
    column('shipping', 'shipping', 'shipping total'),
    column('discount', 'discount', 'discount total'),
    column('item_name', 'item name', 'item', 'product', 'product name'),
    column('item_sku', 'item sku', 'sku'),
    column('item_qty', 'item quantity', 'quantity', 'qty'),
    column('item_price', 'item price', 'price', 'unit price'),
    column('shipping_name', 'shipping name', 'name'),
    column('shipping_address', 'shipping address', 'address', 'street'),
    column('shipping_city', 'shipping city', 'city'),
    column('shipping_state', 'shipping state', 'state'),
    column('shipping_zip', 'shipping zip', 'zip', 'postal code', 'postcode'),
    column('shipping_country', 'shipping country', 'country'),
    column('shipping_method', 'shipping method'),
    column('promo_code', 'promo code', 'discount code', 'coupon'),
  ],
};
