import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { IdParams, pageQuery } from '../../lib/schemas.ts';
import { calculateOrder } from './calculator/contract.ts';
import {
  HistoryEntry,
  Order,
  OrderInput,
  OrderQuery,
  PromoPreview,
  PromoPreviewInput,
  StatusInput,
} from './schemas.ts';

export const createOrder = {
  method: 'POST',
  path: '/orders',
  scope: 'orders:write',
  tag: 'Orders',
  summary: 'Place an order',
  description:
    'Checks the stock, calculates discount, shipping and tax, and takes the stock, all in one transaction. The same product given twice is one line.',
  body: OrderInput,
  data: Order,
  status: 201,
} as const satisfies Endpoint;

export const listOrders = {
  method: 'GET',
  path: '/orders',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'List orders',
  description:
    'Newest first where `sort` is not `oldest`, with their items. `date_from` and `date_to` are inclusive days in UTC, or in `time_zone`.',
  query: OrderQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Order),
  status: 200,
} as const satisfies Endpoint;

export const listCustomerOrders = {
  method: 'GET',
  path: '/customers/{id}/orders',
  scope: 'customers:read',
  tag: 'Customers',
  summary: "List a customer's orders",
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(Order),
  status: 200,
} as const satisfies Endpoint;

export const getOrder = {
  method: 'GET',
  path: '/orders/{id}',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'Read an order',
  params: IdParams,
  data: Order,
  status: 200,
} as const satisfies Endpoint;

export const getOrderHistory = {
  method: 'GET',
  path: '/orders/{id}/history',
  scope: 'orders:read',
  tag: 'Orders',
  summary: 'Read what happened to an order',
  description: 'From its beginning on.',
  params: IdParams,
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id', direction: 'asc' },
  data: Type.Array(HistoryEntry),
  status: 200,
} as const satisfies Endpoint;

export const updateOrderStatus = {
  method: 'PATCH',
  path: '/orders/{id}/status',
  scope: 'orders:write',
  tag: 'Orders',
  summary: 'Move an order on, or note its tracking number',
  description: 'Cancelling puts the stock back, gives the promo code back and reverses loyalty points, once.',
  params: IdParams,
  body: StatusInput,
  data: Order,
  status: 200,
} as const satisfies Endpoint;

export const validatePromo = {
  method: 'POST',
  path: '/promo-codes/validate',
  unaudited: 'changes nothing',
  scope: 'orders:read',
  tag: 'Promo codes',
  summary: 'Try a promo code on a basket',
  description:
    'A dry run of placing the order: nothing is written. An unusable code gets the response that the order would get.',
  body: PromoPreviewInput,
  data: PromoPreview,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const orderEndpoints: readonly Endpoint[] = [
  createOrder,
  calculateOrder,
  listOrders,
  listCustomerOrders,
  getOrder,
  getOrderHistory,
  updateOrderStatus,
  validatePromo,
];
