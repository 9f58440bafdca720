import { useQuery } from '@tanstack/react-query';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type Contact = Model<'Contact'>;

/** The fields of a contact that other records contain. */
export type ContactName = Pick<Contact, 'contact_id' | 'email' | 'phone' | 'first_name' | 'last_name'> & {
  external_id?: string | null;
};

/** Returns a contact's display name: their name, else an address. */
export function nameOf({ first_name, last_name, email, phone, external_id, contact_id }: ContactName): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return name || email || phone || external_id || `#${contact_id}`;
}

export function useContact(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'contacts', id],
    queryFn: ({ signal }) => ok(api.GET('/contacts/{id}', { params: { path: { id } }, signal })),
  });
}

/** The id of the customer that a contact is; null if it is none, or as long as it is not known. */
export function useCustomerOf(id: number): number | null {
  const { api, can, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'contacts', id, 'customer'],
    enabled: can('customers:read'),
    queryFn: ({ signal }) => ok(api.GET('/contacts/{id}/customer', { params: { path: { id } }, signal })),
  });
  return data?.customer_id ?? null;
}
