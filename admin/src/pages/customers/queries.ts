import { useQuery } from '@tanstack/react-query';
import { type Api, dataOf, type Model, ok, type ResponseOf, type Rows, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Customer = Model<'Customer'>;

export function nameOf(customer: Customer): string {
  return `${customer.first_name} ${customer.last_name}`.trim() || customer.email;
}

export function useCustomer(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'customers', id],
    queryFn: ({ signal }) => dataOf(api.GET('/customers/{id}', { params: { path: { id } }, signal })),
  });
}

/** What the customer has spent and was refunded. */
export function useFigures(id: number, may: boolean) {
  const { api, company } = useShop();
  return useQuery({
    enabled: may,
    queryKey: [company.id, 'orders', 'customer', id, 'figures'],
    queryFn: ({ signal }) => dataOf(api.GET('/customers/{id}/figures', { params: { path: { id } }, signal })),
  });
}

/** The customer's latest orders. */
export function useLatestOrders(id: number, most: number, may = true) {
  const { api, company } = useShop();
  return useQuery({
    enabled: may,
    queryKey: [company.id, 'orders', 'customer', id, most],
    queryFn: ({ signal }) =>
      rowsOf(api.GET('/customers/{id}/orders', { params: { path: { id }, query: { per_page: most } }, signal })),
  });
}

/** The id of the contact that a customer is; null if marketing knows none, undefined as long as it is not known. */
export function useContactOf(id: number): number | null | undefined {
  const { api, can, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'customers', id, 'contact'],
    enabled: can('marketing:read'),
    queryFn: ({ signal }) => ok(api.GET('/customers/{id}/contact', { params: { path: { id } }, signal })),
  });
  return data?.contact_id;
}

export type CustomerName = ResponseOf<'/customer-names'>['customers'][number];

/** A row of a list with the name of its customer; null for an erased one, and for none. */
export type WithCustomer<Row> = Row & { customer: CustomerName | null };

/** Adds the names of the customers to a page of a list. */
export async function withCustomers<Row extends { customer_id: number | null }>(
  api: Api,
  { rows, total }: Rows<Row>,
  signal: AbortSignal,
): Promise<Rows<WithCustomer<Row>>> {
  const ids = [...new Set(rows.flatMap(({ customer_id }) => customer_id ?? []))].join(',');
  if (ids === '') return { rows: rows.map((row) => ({ ...row, customer: null })), total };
  // A list is shown without names if only they cannot be read.
  const { customers } = await ok(api.GET('/customer-names', { params: { query: { ids } }, signal })).catch((error) => {
    if (signal.aborted) throw error;
    return { customers: [] };
  });
  const byId = new Map(customers.map((one) => [one.id, one]));
  return { rows: rows.map((row) => ({ ...row, customer: byId.get(row.customer_id ?? 0) ?? null })), total };
}
