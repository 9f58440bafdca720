import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const ordersByNumber = async () =>
  Object.fromEntries(
    (await shop.commerce('GET', '/orders?per_page=100')).body.data.map((one: { external_id: string }) => [
      one.external_id,
      one,
    ]),
  );

describe('orders of which money was returned', () => {
  const shopify = [
    'Name,Email,Financial Status,Fulfillment Status,Currency,Shipping,Taxes,Total,Lineitem quantity,Lineitem name,Lineitem price,Refunded Amount',
    '#1,a@example.com,refunded,fulfilled,USD,5.00,1.00,26.00,2,Mug,10.00,26.00',
    '#2,a@example.com,partially_refunded,fulfilled,USD,5.00,1.00,26.00,2,Mug,10.00,10.00',
    '#3,a@example.com,partially_refunded,fulfilled,USD,5.00,1.00,26.00,2,Mug,10.00,25.50',
    '#4,a@example.com,paid,fulfilled,USD,5.00,1.00,26.00,2,Mug,10.00,0.00',
    '#5,a@example.com,partially_refunded,,USD,5.00,1.00,26.00,2,Mug,10.00,26.00',
  ].join('\n');

  test('are cancelled if all of it was, else their total is lower; the check counts them', async () => {
    const done = await imports.import('shopify-orders', shopify);
    expect(done.notices).toEqual([{ code: 'refunded', column: null, count: 4 }]);
    expect(await ordersByNumber()).toMatchObject({
      '#1': { status: 'cancelled', total: 26, metadata: { refunded: '26.00' } },
      '#2': {
        status: 'delivered',
        discount: 10,
        shipping: 5,
        tax: 1,
        total: 16,
        metadata: { refunded: '10.00', total_before_refund: '26.00' },
      },
      '#3': { status: 'delivered', discount: 20, shipping: 0, tax: 0.5, total: 0.5 },
      '#4': { status: 'delivered', total: 26 },
      '#5': { status: 'cancelled', total: 26 },
    });
    const sums = await server.rows<{ sum: string }>(
      "select sum(total)::text as sum from orders where company_id = $1 and status <> 'cancelled'",
      [shop.company_id],
    );
    expect(sums).toEqual([{ sum: '4250' }]);
  });

  test('of WooCommerce as well', async () => {
    const file = [
      'order_id,status,tax_total,shipping_total,order_total,refunded_total,billing_email,item_name,item_quantity,item_subtotal',
      '1,completed,0,0,20.00,-5.00,a@example.com,Mug,2,20.00',
      '2,refunded,0,0,20.00,20.00,a@example.com,Mug,2,20.00',
    ].join('\n');
    await imports.import('woocommerce-orders', file);
    expect(await ordersByNumber()).toMatchObject({ 1: { status: 'delivered', total: 15 }, 2: { status: 'cancelled' } });
  });
});

test('an order keeps the recipient, a billing address that differs, both lines of addresses, and the tax in its prices', async () => {
  const file = [
    'order_id,status,tax_total,order_total,billing_email,billing_first_name,billing_last_name,billing_address_1,billing_address_2,billing_city,billing_postcode,billing_country,shipping_first_name,shipping_last_name,shipping_address_1,shipping_address_2,shipping_city,shipping_postcode,shipping_country,item_name,item_quantity,item_subtotal',
    '1,completed,2.00,20.00,a@example.com,Ann,Payer,1 Pay St,Flat 2,Salem,97301,US,Ray,Receiver,9 Gift Rd,Floor 3,Boston,02108,US,Mug,2,20.00',
    '2,completed,0,20.00,b@example.com,Bob,Both,1 Pay St,,Salem,97301,US,Bob,Both,1 Pay St,,Salem,97301,US,Mug,2,20.00',
  ].join('\n');
  await imports.import('woocommerce-orders', file);
  const orders = await ordersByNumber();
  expect(orders[1]).toMatchObject({
    shipping_address: '9 Gift Rd, Floor 3',
    metadata: {
      recipient: 'Ray Receiver',
      billing_address: { name: 'Ann Payer', address: '1 Pay St, Flat 2', city: 'Salem', zip: '97301', country: 'US' },
      tax_included: '2.00',
    },
  });
  expect(orders[2].metadata).toEqual({ imported_from: 'woocommerce-orders' });
});

describe('customers without an e-mail address', () => {
  const file =
    'First Name,Last Name,Email,Phone,Accepts Email Marketing,Accepts SMS Marketing,Tags\nPat,Phone,,+12133734253,yes,yes,"vip, walk-in"\nEve,Mail,eve@example.com,,yes,no,\nNo,One,,,yes,no,';

  test('become contacts if they have a phone number, and are gone again after an undo', async () => {
    const done = await imports.import('shopify-customers', file);
    expect(done).toMatchObject({ created: 2, refused: 1 });
    expect((await shop.commerce('GET', '/customers')).body.data).toHaveLength(1);
    const { contacts } = (await shop.marketing('GET', '/contacts')).body;
    expect(contacts.find(({ phone }: { phone: string }) => phone === '+12133734253')).toMatchObject({
      first_name: 'Pat',
      tags: ['vip', 'walk-in'],
      consent: { sms: { state: 'subscribed' } },
    });
    expect(await imports.import('shopify-customers', file)).toMatchObject({ unchanged: 2, refused: 1 });
    await imports.undo(done.id);
    expect((await shop.marketing('GET', '/contacts')).body.contacts).toEqual([]);
  });
});

test.each([
  [
    'German',
    'ID,Typ,Artikelnummer,Name,Veröffentlicht,Beschreibung,Steuerklasse,Vorrätig?,Lager,Angebotspreis,Regulärer Preis,Kategorien,Bilder,Übergeordnetes Produkt',
  ],
  [
    'French',
    'ID,Type,UGS,Nom,Publié,Description,Classe de TVA,En stock ?,Stock,Tarif promo,Tarif régulier,Catégories,Images,Parent',
  ],
  [
    'Spanish',
    'ID,Tipo,SKU,Nombre,Publicado,Descripción,Clase de impuesto,¿En inventario?,Inventario,Precio rebajado,Precio normal,Categorías,Imágenes,Superior',
  ],
  [
    'Italian',
    'ID,Tipo,SKU,Nome,Pubblicato,Descrizione,Aliquota di imposta,In stock?,Magazzino,Prezzo in offerta,Prezzo di listino,Categorie,Immagini,Genitore',
  ],
  [
    'Dutch',
    'ID,Type,SKU,Naam,Gepubliceerd,Beschrijving,Belastingklasse,Op voorraad?,Voorraad,Actieprijs,Reguliere prijs,Categorieën,Afbeeldingen,Hoofd',
  ],
])('products of WooCommerce in %s', async (_language, header) => {
  const rows = [
    '1,variable,,Cup,1,A cup,reduced,1,,,,Kitchen,https://shop.example.com/c.jpg,',
    '2,variation,CUP-R,Cup - Red,1,,parent,1,4,7.00,9.00,,,id:1',
  ];
  const done = await imports.import('woocommerce-products', [header, ...rows].join('\n'));
  expect(done).toMatchObject({ created: 1, skipped: 0, notices: [] });
  expect((await shop.commerce('GET', '/products/cup')).body.data).toMatchObject({ name: 'Cup', description: 'A cup' });
  expect((await shop.commerce('GET', '/products/cup-red')).body.data).toMatchObject({
    name: 'Cup – Red',
    sku: 'CUP-R',
    price: 7,
    stock_qty: 4,
    categories: ['kitchen'],
    tax_class: 'reduced',
  });
});

test('an apostrophe before a number is a spreadsheet’s, one before a word is kept', async () => {
  await imports.import('csv-products', "name,sku,slug,price\n'90s shirt,'00123,shirt,'5\n");
  const [made] = (await shop.commerce('GET', '/products')).body.data;
  expect(made).toMatchObject({ name: "'90s shirt", sku: '00123', price: 5 });
});
