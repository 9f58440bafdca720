import { allocate } from '../../commerce/allocation.ts';
import type { ImportedCustomer } from '../../commerce/customers/service.ts';
import type { ImportedLine, ImportedOrder } from '../../commerce/orders/service.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../commerce/orders/status.ts';
import type { ImportedMoney } from '../../commerce/payments/imported.ts';
import { stateCode } from '../../commerce/states.ts';
import { normaliseCountry } from '../../lib/countries.ts';
import { type Fields, hasAddress } from '../formats/format.ts';
import { emailOf, lostDigits, phoneOf } from './contacts.ts';
import { splitName } from './customers.ts';
import type { ImportContext, RowGroup } from './kind.ts';
import { readMoney } from './read-money.ts';
import { amountOf, consentOf, MAX_MINOR, momentOf, RowFault, readAt, shown, textOf, wholeOf } from './values.ts';

const MAX_LINES = 500;
const MAX_QTY = 1_000_000;

export type OrderLine = Omit<ImportedLine, 'product_id'> & { sku: string | null };

export interface ReadOrder {
  order: Omit<ImportedOrder, 'customer_id' | 'lines'>;
  customer: ImportedCustomer;
  lines: OrderLine[];
  money: ImportedMoney | null;
}

/**
 * Reads an order from its rows, with a note if money of the file is left out. The first row with a total or an e-mail address describes the
 * order. Throws RowFault.
 */
export function readOrder({ rows }: RowGroup, context: ImportContext): { record: ReadOrder; note: string | null } {
  const head = rows.find(({ total, email }) => total !== undefined || email !== undefined) ?? rows[0]!;
  return readAt(rows.indexOf(head), () => readFrom(head, rows, context));
}

function readFrom(head: Fields, rows: Fields[], context: ImportContext): ReturnType<typeof readOrder> {
  const { shop, format, readings } = context;
  if (head.number === undefined) throw new RowFault('number', 'an order needs a number');
  if (head.email === undefined) {
    const phone = head.phone === undefined ? '' : '; a phone number is not enough';
    throw new RowFault('email', `an order needs the e-mail address of its customer${phone}`);
  }
  const { currency } = head;
  if (currency !== undefined && currency.toUpperCase() !== shop.currency) {
    throw new RowFault('currency', `the order is in ${shown(currency)}, the company's currency is ${shop.currency}`);
  }
  const items = rows.filter((row) => row.item_name !== undefined);
  if (items.length === 0) throw new RowFault('item_name', 'the order has no items');
  if (items.length > MAX_LINES) throw new RowFault('item_name', `an order has at most ${MAX_LINES} items`);
  const lines = items.map((row) => readAt(rows.indexOf(row), () => readLine(row, context)));
  const amounts = balance(head, lines, context);
  const email = emailOf('email', head.email);
  const metadata: Record<string, unknown> = { imported_from: format, ...amounts.notes };
  if (head.note !== undefined) metadata.note = textOf('note', head.note, 5_000);
  if (head.source_id !== undefined) metadata.source_id = textOf('source_id', head.source_id, 100);
  const created_at = momentOf('created_at', head.created_at, readings, context.now) ?? context.now;
  const { refunded, money, note } = readMoney(head, amounts.amounts.total, created_at, context);
  const status = statusOf(head.status);
  const isCancelled = status === 'cancelled' || (refunded > 0 && refunded >= amounts.amounts.total);
  const kept = isCancelled ? amounts.amounts : lessRefund(amounts.amounts, refunded);
  if (refunded > 0 && head.refunded !== undefined) metadata.refunded = head.refunded;
  if (kept !== amounts.amounts) metadata.total_before_refund = head.total;
  const address = addressOf(head, shop.country);
  const people = peopleOf(head);
  if (people.recipient !== null) metadata.recipient = people.recipient;
  if (people.billing !== null) metadata.billing_address = people.billing;
  const record: ReadOrder = {
    order: {
      ...kept,
      ...address,
      status: isCancelled ? 'cancelled' : status,
      promo_code: textOf('promo_code', head.promo_code, 100),
      shipping_method: textOf('shipping_method', head.shipping_method, 255),
      external_id: textOf('number', head.number, 255)!,
      metadata,
      created_at,
    },
    customer: customerOf(head, email, address, context),
    lines: shared(lines, kept.discount, kept.tax),
    money,
  };
  return { record, note };
}

function statusOf(text: string | undefined): OrderStatus {
  const status = text?.toLowerCase() ?? 'delivered';
  if ((ORDER_STATUSES as readonly string[]).includes(status)) return status as OrderStatus;
  throw new RowFault('status', `«${shown(text!)}» is no status: ${ORDER_STATUSES.join(', ')}`);
}

function readLine(row: Fields, { shop: { exponent }, readings }: ImportContext): OrderLine {
  const qty = wholeOf('item_qty', row.item_qty, MAX_QTY, readings) ?? 1;
  if (qty < 1) throw new RowFault('item_qty', `«${shown(row.item_qty!)}» items: at least one is bought`);
  const price = amountOf('item_price', row.item_price, exponent, readings);
  const subtotal = amountOf('item_subtotal', row.item_subtotal, exponent, readings) ?? (price ?? 0) * qty;
  if (subtotal < 0 || (price ?? 0) < 0) throw new RowFault('item_price', 'a price is not negative');
  if (subtotal > MAX_MINOR) throw new RowFault('item_price', 'the item costs too much');
  return {
    sku: textOf('item_sku', row.item_sku?.replace(/^'/, ''), 100),
    product_name: textOf('item_name', row.item_name, 255)!,
    qty,
    price: price ?? Math.floor(subtotal / qty),
    subtotal,
    discount: 0,
    tax: 0,
  };
}

/**
 * Total = subtotal − discount + tax + shipping holds for every order. The total was paid, so it is kept. If the parts exceed it, the
 * difference becomes the discount; if they fall short (fees, tips), it becomes shipping. Tax included in the prices goes into the notes.
 */
function balance(head: Fields, lines: OrderLine[], { shop: { exponent }, readings }: ImportContext) {
  const subtotal = lines.reduce((sum, line) => sum + line.subtotal, 0);
  const given = (field: string): number => Math.max(0, amountOf(field, head[field], exponent, readings) ?? 0);
  const notes: Record<string, unknown> = {};
  const stated = { shipping: given('shipping') + given('fees'), tax: given('tax'), discount: given('discount') };
  const total =
    amountOf('total', head.total, exponent, readings) ??
    Math.max(0, subtotal - stated.discount) + stated.tax + stated.shipping;
  if (total < 0) throw new RowFault('total', 'a total is not negative');
  if (subtotal > MAX_MINOR || total > MAX_MINOR) throw new RowFault('total', 'the order costs too much');
  let { shipping, tax } = stated;
  const paid = subtotal - stated.discount + shipping;
  if (tax > 0 && total === paid) {
    notes.tax_included = head.tax;
    if (head.tax_name !== undefined) notes.tax_name = head.tax_name.slice(0, 255);
    tax = 0;
  }
  let discount = subtotal + tax + shipping - total;
  if (discount < 0) {
    notes.other_charges_in_shipping = true;
    shipping -= discount;
    discount = 0;
  }
  if (discount > subtotal) {
    // The discount exceeds the items, so shipping was free.
    shipping = Math.max(0, shipping - (discount - subtotal));
    tax = total - shipping;
    discount = subtotal;
  }
  if (tax < 0) throw new RowFault('total', 'the total is lower than the sum of the order');
  const name = head.tax_name ?? 'Tax';
  const rate = Math.round(Number(/(\d+(?:\.\d+)?)\s*%/.exec(name)?.[1] ?? 0) * 10_000);
  const tax_lines = tax === 0 ? [] : [{ name: name.slice(0, 255), rate, amount: tax }];
  return { amounts: { subtotal, discount, tax, shipping, total, tax_lines }, notes };
}

type Amounts = ReturnType<typeof balance>['amounts'];

/** Money that was returned lowers the total, so that sales are what was earned: of the goods first, then of shipping, then of the tax. */
function lessRefund(amounts: Amounts, refunded: number): Amounts {
  if (refunded === 0) return amounts;
  const discount = Math.min(amounts.subtotal, amounts.discount + refunded);
  const afterGoods = refunded - (discount - amounts.discount);
  const shipping = Math.max(0, amounts.shipping - afterGoods);
  const tax = amounts.tax - (afterGoods - (amounts.shipping - shipping));
  const tax_lines = tax === 0 ? [] : amounts.tax_lines.map((line) => ({ ...line, amount: tax }));
  return { subtotal: amounts.subtotal, discount, tax, shipping, total: amounts.total - refunded, tax_lines };
}

const BILLING = ['name', 'address', 'city', 'state', 'zip', 'country'] as const;

/** The recipient where another person paid, and the billing address where it differs. */
function peopleOf(head: Fields): { recipient: string | null; billing: Record<string, string> | null } {
  const own = hasAddress(head, 'shipping_');
  const recipient =
    own && head.shipping_name !== head.billing_name ? textOf('shipping_name', head.shipping_name, 255) : null;
  if (!own || !hasAddress(head, 'billing_')) return { recipient, billing: null };
  if (BILLING.every((part) => head[`billing_${part}`] === head[`shipping_${part}`]))
    return { recipient, billing: null };
  const billing: Record<string, string> = {};
  for (const part of BILLING) {
    const text = textOf(`billing_${part}`, head[`billing_${part}`], 500);
    if (text !== null) billing[part] = text;
  }
  return { recipient, billing };
}

/** Allocates discount and tax to the items. */
function shared(lines: OrderLine[], discount: number, tax: number): OrderLine[] {
  const subtotals = lines.map(({ subtotal }) => subtotal);
  const discounts = allocate(discount, subtotals);
  const taxed = subtotals.map((subtotal, i) => subtotal - discounts[i]!);
  // If all items were free, the tax is that of shipping.
  const taxes = taxed.some((amount) => amount > 0) ? allocate(tax, taxed) : taxed.map(() => 0);
  return lines.map((line, i) => ({ ...line, discount: discounts[i]!, tax: taxes[i]! }));
}

function addressOf(head: Fields, country: string) {
  const own = hasAddress(head, 'shipping_') || !hasAddress(head, 'billing_') ? 'shipping' : 'billing';
  const part = (name: string, max: number): string => textOf(`${own}_${name}`, head[`${own}_${name}`], max) ?? '';
  const stated = head[`${own}_country`];
  // A country of a past order need not exist any more.
  const shippedTo = stated === undefined ? country : (normaliseCountry(stated) ?? country);
  return {
    shipping_address: part('address', 500),
    shipping_city: part('city', 200),
    shipping_state: stateCode(part('state', 100), shippedTo),
    shipping_zip: part('zip', 20),
    shipping_country: shippedTo,
  };
}

function customerOf(
  head: Fields,
  email: string,
  address: ReturnType<typeof addressOf>,
  { choices, shop, now, readings }: ImportContext,
): ImportedCustomer {
  const name = head.billing_name ?? head.shipping_name;
  const consent = consentOf('email_consent', head.email_consent) ?? choices.email_consent ?? 'never';
  return {
    email,
    ...(name === undefined ? { first_name: null, last_name: null } : splitName(name.replace(/\s+/g, ' '))),
    // The order matters more than a number that a spreadsheet spoilt.
    phone: phoneOf(
      head.phone === undefined || lostDigits(head.phone) ? undefined : head.phone,
      address.shipping_country || shop.country,
    ),
    accepts_marketing: consent === 'subscribed',
    address: address.shipping_address || null,
    city: address.shipping_city || null,
    state: address.shipping_state || null,
    zip: address.shipping_zip || null,
    country: address.shipping_country || null,
    metadata: {},
    custom: {},
    created_at: momentOf('created_at', head.created_at, readings, now) ?? now,
  };
}
