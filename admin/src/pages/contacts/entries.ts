/** The data of a timeline entry: its fields depend on its type. */
export type EntryData = Record<string, unknown>;

export interface EntryOrder {
  id: string;
  /** Whether it is an order of this shop, and not of another that sends its events. */
  isOwn: boolean;
  /** In major units. */
  amount: number | null;
  /** Null stands for the shop's currency. */
  currency: string | null;
}

/** The order that an event is about; of a refund, with the amount that was given back. */
export function orderOfEvent({ source, event_data }: EntryData): EntryOrder | null {
  const { order_id, total, amount = total, currency } = recordOf(event_data);
  return orderOf({ source, order_id, amount, currency });
}

export interface EventSummary {
  order: EntryOrder | null;
  /** Of a cart, a payment or a product. */
  amount: { value: number; currency: string | null } | null;
  /** What was bought or viewed, or lies in the cart; `quantity` is null where it is unknown. */
  products: { name: string; quantity: number | null }[];
  /** Ids of records of this shop. */
  customer: string | null;
  subscription: string | null;
  list: { id: number; name: string } | null;
  points: number | null;
}

/** What an event is about. */
export function summaryOfEvent(data: EntryData): EventSummary {
  const { source, event_data } = data;
  const fields = recordOf(event_data);
  const order = orderOfEvent(data);
  const value = numberOf(fields.cart_total) ?? numberOf(fields.amount) ?? numberOf(fields.price);
  const own = (id: unknown): string | null => (source === 'shop' && isOwnId(id) ? id : null);
  const { list_id, list_name } = fields;
  return {
    order,
    amount: order !== null || value === null ? null : { value, currency: currencyOf(fields.currency) },
    products: productsOf(fields),
    customer: own(fields.customer_id),
    subscription: own(fields.subscription_id),
    list: typeof list_id === 'number' && typeof list_name === 'string' ? { id: list_id, name: list_name } : null,
    points: numberOf(fields.points),
  };
}

function productsOf({ items, product_name }: EntryData): EventSummary['products'] {
  if (typeof product_name === 'string') return [{ name: product_name, quantity: null }];
  if (!Array.isArray(items)) return [];
  return items
    .map(recordOf)
    .flatMap(({ name, quantity }) => (typeof name === 'string' ? [{ name, quantity: numberOf(quantity) }] : []));
}

export interface MessageSummary {
  opened: { first: string; last: string } | null;
  /** Opened by a program and not by the recipient. */
  isOpenedByProgram: boolean;
  /** How many links were clicked; null: none. */
  clicked: { links: number; urls: string[]; last: string } | null;
  orders: EntryOrder[];
  /** What else happened: bounced, complained, unsubscribed, refused. */
  others: string[];
}

const SHOWN_APART = ['opened', 'machine_opened', 'clicked', 'link_clicked', 'converted'];

/** What became of a message. */
export function summaryOf({ activity }: EntryData): MessageSummary {
  const all = Array.isArray(activity) ? activity.map(recordOf) : [];
  const find = (type: string): EntryData | undefined => all.find((one) => one.type === type);
  const [opened, clicked] = [find('opened'), find('clicked')];
  const links = all.filter(({ type }) => type === 'link_clicked');
  return {
    opened: opened === undefined ? null : { first: String(opened.at), last: lastOf(opened) },
    isOpenedByProgram: opened === undefined && find('machine_opened') !== undefined,
    clicked:
      clicked === undefined
        ? null
        : {
            links: Math.max(links.length, 1),
            urls: links.flatMap(({ url }) => (typeof url === 'string' && url !== '' ? [url] : [])),
            last: lastOf(clicked),
          },
    orders: all.filter(({ type }) => type === 'converted').map((one) => orderOf(one) ?? unknownOrder(one)),
    others: all.flatMap(({ type }) => (SHOWN_APART.includes(String(type)) ? [] : [String(type)])),
  };
}

function orderOf({ source, order_id, amount, currency }: EntryData): EntryOrder | null {
  if (typeof order_id !== 'string' && typeof order_id !== 'number') return null;
  const id = String(order_id);
  return { id, isOwn: source === 'shop' && isOwnId(id), amount: numberOf(amount), currency: currencyOf(currency) };
}

/** An order whose event is no longer stored. */
function unknownOrder({ amount, currency }: EntryData): EntryOrder {
  return { id: '', isOwn: false, amount: numberOf(amount), currency: currencyOf(currency) };
}

function lastOf({ at, last_at }: EntryData): string {
  return String(last_at ?? at);
}

function isOwnId(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d*$/.test(value);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Other shops' events may contain any text. */
function currencyOf(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Z]{3}$/i.test(value) ? value : null;
}

function recordOf(value: unknown): EntryData {
  return typeof value === 'object' && value !== null ? (value as EntryData) : {};
}
