import { useQuery } from '@tanstack/react-query';
import { dataOf, type ResponseOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { dayIn } from '../../ui/form/days.ts';
import { moneyText } from '../../ui/form/numbers.ts';
import type { Order } from '../orders/queries.ts';

export type Ledger = ResponseOf<'/orders/{id}/ledger'>['data'];
export type LedgerEntry = Ledger['entries'][number];
export type Payment = ResponseOf<'/payments'>['data'][number];
export type Refund = ResponseOf<'/orders/{id}/refunds'>['data'][number];

/** Payments have no live kind of their own: they are asked for again. */
const REFRESH_MS = 15_000;

/** An order has at most 100 payments; of more refunds than that, the newest are shown. */
const MOST = 100;

/** What was charged, paid and refunded for an order. */
export interface OrderMoney {
  ledger: Ledger;
  /** Newest first. */
  payments: Payment[];
  /** Newest first. */
  refunds: Refund[];
}

export function useOrderMoney(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'orders', id, 'money'],
    meta: { live: ['orders'] },
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }): Promise<OrderMoney> => {
      const path = { id };
      const query = { per_page: MOST };
      const [ledger, payments, refunds] = await Promise.all([
        dataOf(api.GET('/orders/{id}/ledger', { params: { path }, signal })),
        rowsOf(api.GET('/orders/{id}/payments', { params: { path, query }, signal })),
        rowsOf(api.GET('/orders/{id}/refunds', { params: { path, query }, signal })),
      ]);
      return { ledger, payments: payments.rows, refunds: refunds.rows };
    },
  });
}

/** The payments whose money is awaited though their day is over, newest first. */
export function useOverduePayments(perPage: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'payments', 'overdue', perPage],
    meta: { live: ['orders'] },
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => {
      const query = {
        status: 'action_required',
        due_before: dayIn(company.time_zone),
        per_page: perPage,
      } as const;
      return rowsOf(api.GET('/payments', { params: { query }, signal }));
    },
  });
}

/** What the buyer owes; below 0, what the shop does. An order without a payment has no ledger yet. */
export function owedFor(order: Order, { balance }: Pick<Ledger, 'balance'>): number {
  if (balance !== null) return balance;
  return order.status === 'cancelled' ? 0 : order.total;
}

/** What can be given back of what was received. */
export function refundableOf({ paid, refunded }: Ledger, currency: string): number {
  return Number(moneyText(paid - refunded, currency));
}
