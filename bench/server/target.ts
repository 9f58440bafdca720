/** What the scenarios are run against: one server with two shops. */
export interface Target {
  /** Of the server, on 127.0.0.1. */
  port: number;
  /** Of PostgreSQL: the folder of its Unix socket, and its port, user and database. */
  database: { host: string; port: number; user: string; database: string };
  /** PRODUCTS products, CUSTOMERS customers, CONTACTS contacts. */
  shop: TargetShop;
  /** How many contacts the shop has; their external ids are 1 and up. */
  contacts: number;
  /** LARGE_PRODUCTS products, for lists. */
  largeShop: TargetShop;
  /** PRODUCTS products, taxes, shipping, a promo code, customers with points. */
  fullShop: TargetShop;
  /** ORDERS orders, for lists of orders; only where a scenario asks for it. */
  orderShop: TargetShop | null;
  /** The id of its first order. */
  firstOrder: number;
  /** MANY_CONTACTS contacts, for searches; only where a scenario asks for it. */
  contactShop: TargetShop | null;
  /** A company with much of everything, for what it may do to others; only where it is asked for. */
  crowdedShop: CrowdedShop | null;
  /** A session of the operator, who may see every company in the admin app. */
  adminCookie: string;
}

export interface CrowdedShop extends TargetShop {
  /** Of contacts: the ids are these and all between. */
  firstContact: number;
  lastContact: number;
  /** The id of a list that every third contact is on. */
  list: number;
}

export interface TargetShop {
  companyId: number;
  key: string;
  webhookSecret: string;
  /** The products' ids are these and all between. */
  firstProduct: number;
  lastProduct: number;
  firstCustomer: number;
  lastCustomer: number;
}

/**
 * What a scenario needs beside the shops that are always there; `crowd:200000` is a crowded one of so many contacts and five
 * times as many events, the others small.
 */
export type Need = 'orders' | 'contacts' | `smtp://${string}` | `crowd:${number}`;
