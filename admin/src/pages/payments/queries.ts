import { useQuery } from '@tanstack/react-query';
import { dataOf, type ResponseOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { dayIn } from '../../ui/form/days.ts';
import { moneyText } from '../../ui/form/numbers.ts';
import type { Order } from '../orders/queries.ts';

export type Ledger = ResponseOf<'/orders/{id}/ledger'>['data'];
export type LedgerEntry = Ledger['entries'][number];
export type Payment = ResponseOf<'/payments'>['data'][number];
export type PaymentDetail = ResponseOf<'/payments/{id}'>['data'];
export type Operation = PaymentDetail['operations'][number];
export type Refund = ResponseOf<'/orders/{id}/refunds'>['data'][number];

const ENDS_SOON_MS = 3 * 86_400_000;

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

/** A payment with the calls to its service. */
export function usePayment(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'payments', id],
    meta: { live: ['orders'] },
    queryFn: ({ signal }) => dataOf(api.GET('/payments/{id}', { params: { path: { id } }, signal })),
  });
}

/** The payments that somebody should look at, newest first. */
export function usePaymentsToCheck(perPage: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'payments', 'attention', perPage],
    meta: { live: ['orders'] },
    queryFn: ({ signal }) => {
      const query = { attention: 'any', per_page: perPage } as const;
      return rowsOf(api.GET('/payments', { params: { query }, signal }));
    },
  });
}

/** The payments whose authorization ends within 3 days, newest first. */
export function useEndingPayments(perPage: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'payments', 'ending', perPage],
    meta: { live: ['orders'] },
    queryFn: ({ signal }) => {
      const query = { ends_before: new Date(Date.now() + ENDS_SOON_MS).toISOString(), per_page: perPage };
      return rowsOf(api.GET('/payments', { params: { query }, signal }));
    },
  });
}

/** What the buyer owes; below 0, what the shop does. An order without a payment has no ledger yet. */
export function owedFor(order: Order, { balance }: Pick<Ledger, 'balance'>): number {
  if (balance !== null) return balance;
  return order.status === 'cancelled' ? 0 : order.total;
}

/** What can be given back of the payments of an order, to which wrong money does not belong. */
export function refundableOf(payments: readonly Payment[], currency: string): number {
  const left = payments.map((payment) => (payment.wrong ? 0 : heldOf(payment)));
  return Number(
    moneyText(
      left.reduce((sum, one) => sum + one, 0),
      currency,
    ),
  );
}

/** What was received of a payment, was not given back, and is not being so. */
export function heldOf({ captured, refunded, refund_pending, disputed }: Payment): number {
  return Math.max(0, captured - refunded - refund_pending - disputed);
}

/** What payment services were asked to give back of an order's money, and have not sent. */
export function pendingOf(payments: readonly Payment[], currency: string): number {
  return Number(
    moneyText(
      payments.reduce((sum, { refund_pending, wrong }) => sum + (wrong ? 0 : refund_pending), 0),
      currency,
    ),
  );
}
