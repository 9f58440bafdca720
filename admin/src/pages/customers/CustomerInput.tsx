import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import type { InputProps } from '../../ui/form/values.ts';
import { RecordInput } from '../../ui/pick/RecordInput.tsx';
import { nameOf } from './queries.ts';

const SHOWN = 8;

/** A form's field for a customer, found by name, e-mail address or number. */
export function CustomerInput(props: InputProps) {
  const { api } = useShop();
  return (
    <RecordInput
      {...props}
      kind="customers"
      find={async (search, signal) => {
        const { rows } = await rowsOf(
          api.GET('/customers', { params: { query: { search, per_page: SHOWN } }, signal }),
        );
        return rows.map((one) => ({ value: String(one.id), label: `${nameOf(one)} · ${one.email}` }));
      }}
      nameOf={async (id, signal) =>
        nameOf(await dataOf(api.GET('/customers/{id}', { params: { path: { id } }, signal })))
      }
    />
  );
}
