import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import type { InputProps } from '../../ui/form/values.ts';
import type { PickProps } from '../../ui/pick/Pick.tsx';
import { RecordPick } from '../../ui/pick/RecordPick.tsx';
import { nameOf } from './queries.ts';

const SHOWN = 8;

/** A customer, found by name, e-mail address or number. */
function CustomerField(props: Omit<PickProps, 'choices'>) {
  const { api } = useShop();
  return (
    <RecordPick
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

/** A form's field for a customer. */
export function CustomerInput({ field, value, error, onChange }: InputProps) {
  return (
    <CustomerField
      label={field.label}
      name={field.name}
      required={field.required}
      error={error}
      value={String(value)}
      onChange={onChange}
    />
  );
}
