/** What the scenarios run against: one server with several shops. */
export interface Target {
  /** Port of the server, on 127.0.0.1. */
  port: number;
  /** PostgreSQL: the folder of its Unix socket, its port, user and database. */
  database: { host: string; port: number; user: string; database: string };
  /** PRODUCTS products, CUSTOMERS customers, CONTACTS contacts. */
  shop: TargetShop;
  /** Number of the shop's contacts; their external ids begin with 1. */
  contacts: number;
  /** LARGE_PRODUCTS products, for lists. */
  largeShop: TargetShop;
  /** PRODUCTS products, taxes, shipping, a promo code, customers with points. */
  fullShop: TargetShop;
  /** ORDERS orders, for lists of orders; only where a scenario needs it. */
  orderShop: TargetShop | null;
  /** The id of its first order. */
  firstOrder: number;
  /** MANY_CONTACTS contacts, for searches; only where a scenario needs it. */
  contactShop: TargetShop | null;
  /** LARGE_PRODUCTS products with three filterable custom fields and categories; only where a scenario needs it. */
  facetShop: TargetShop | null;
  /** 100 parents of 100 variants each; its products are the parents. Only where a scenario needs it. */
  variantShop: TargetShop | null;
  /** PRODUCTS products at three locations; only where a scenario needs it. */
  locationShop: TargetShop | null;
  /** Stripe's stand-in, and the shop's payment method; only where a scenario needs it. */
  stripe: { url: string; publishableKey: string; method: number } | null;
  /** A company with much of everything, for its effect on others; only where a scenario needs it. */
  crowdedShop: CrowdedShop | null;
  /** A session of the operator, who may see every company in the admin app. */
  adminCookie: string;
}

export interface CrowdedShop extends TargetShop {
  /** First and last id of its contacts, without gaps. */
  firstContact: number;
  lastContact: number;
  /** The id of a list that contains every third contact. */
  list: number;
}

export interface TargetShop {
  companyId: number;
  key: string;
  /** Of the store interface. */
  storeKey: string;
  webhookSecret: string;
  /** First and last id of its products, without gaps. */
  firstProduct: number;
  lastProduct: number;
  firstCustomer: number;
  lastCustomer: number;
}

/**
 * What a scenario needs in addition to the shops that always exist; `crowd:200000` is a crowded one with so many
 * contacts and five times as many events, the other shops being small.
 */
export type Need =
  | 'orders'
  | 'contacts'
  | 'facets'
  | 'variants'
  | 'locations'
  | 'stripe'
  | `smtp://${string}`
  | `crowd:${number}`;
